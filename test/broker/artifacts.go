package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// fetchTimeout bounds one run of Maven: a version is 54 MB in 92 files, which
// takes about 30 s on an ordinary line.
const fetchTimeout = 10 * time.Minute

// Artifacts is the directory with the jars of a Kafka version: the broker and
// Kafka's own commands. What is not in the cache yet is fetched with Maven; a
// lock keeps two processes from fetching at the same time, and the directory
// appears complete or not at all.
func Artifacts(ctx context.Context, version string) (string, error) {
	dir, err := artifactsDir(version)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("the cache for Kafka's artifacts can't be made: %w", err)
	}
	unlock, err := lockFile(ctx, dir+".lock")
	if err != nil {
		return "", fmt.Errorf("waiting for another process that fetches Kafka %s: %w", version, err)
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, fetch(ctx, version, dir)
}

// artifactsDir is where a version's jars are, or will be.
func artifactsDir(version string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no cache directory for Kafka's artifacts: %w", err)
	}
	return filepath.Join(cache, "sharetop-test", "kafka-"+version), nil
}

// fetch runs Maven into a temporary directory beside dir, then renames it.
func fetch(ctx context.Context, version, dir string) error {
	mvn, err := findMaven()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".fetching-"+version+"-")
	if err != nil {
		return fmt.Errorf("no temporary directory for Kafka's artifacts: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	pom, jars := filepath.Join(temp, "pom.xml"), filepath.Join(temp, "jars")
	if err := os.WriteFile(pom, []byte(pomFor(version)), 0o644); err != nil {
		return fmt.Errorf("the project file for Maven can't be written: %w", err)
	}
	var out bytes.Buffer
	argv := []string{mvn, "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory=" + jars}
	if err := runGuarded(ctx, argv, &out, &out); err != nil {
		return fmt.Errorf("fetching Kafka %s with Maven failed (is its repository reachable?): %w\n%s", version, err, lastLines(out.String(), 20))
	}
	if found, err := filepath.Glob(filepath.Join(jars, "kafka-tools-*.jar")); err != nil || len(found) == 0 {
		return errors.Join(err, fmt.Errorf("what Maven fetched of Kafka %s lacks kafka-tools: %s", version, lastLines(out.String(), 20)))
	}
	return os.Rename(jars, dir)
}

// pomFor is a Maven project that depends on a Kafka version's broker and
// commands, and on a logger for them.
func pomFor(version string) string {
	dependency := func(group, artifact, version string) string {
		return fmt.Sprintf("<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n",
			group, artifact, version)
	}
	const loggerVersion = "2.25.3"
	return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>sharetop</groupId><artifactId>test-kafka</artifactId><version>1</version>
<dependencies>
` + dependency("org.apache.kafka", "kafka_2.13", version) +
		dependency("org.apache.kafka", "kafka-tools", version) +
		dependency("org.apache.logging.log4j", "log4j-slf4j-impl", loggerVersion) +
		dependency("org.apache.logging.log4j", "log4j-core", loggerVersion) +
		"</dependencies>\n</project>\n"
}
