package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// MinJava is the oldest Java that Kafka's broker and commands run on.
const MinJava = 17

// javaVersionTimeout bounds `java -version`.
const javaVersionTimeout = time.Minute

// MissingError says what is not on this machine, and how to get it.
type MissingError struct {
	// What is missing, e.g. "Maven (mvn)".
	What string
	// Get says how to get it.
	Get string
}

// Error is one sentence with both.
func (e *MissingError) Error() string {
	return fmt.Sprintf("a real Kafka can't be started: %s is missing; %s", e.What, e.Get)
}

const (
	getJava  = "install Java 17 or later (Debian: apt-get install openjdk-17-jre-headless) and put java on the PATH, or set JAVA_HOME"
	getMaven = "install Maven (Debian: apt-get install maven) and put mvn on the PATH; it is needed once per Kafka version, to fetch it"
)

// Require checks that this machine can start the given Kafka version. The
// error is a *MissingError where something has to be installed first. Maven is
// only needed until the version's artifacts are in the cache.
func Require(ctx context.Context, version string) error {
	if _, err := findJava(ctx); err != nil {
		return err
	}
	dir, err := artifactsDir(version)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	_, err = findMaven()
	return err
}

// findJava is the path of a java that is new enough.
func findJava(ctx context.Context) (string, error) {
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	path, err := exec.LookPath(java)
	if err != nil {
		return "", &MissingError{What: "Java (java)", Get: getJava}
	}
	ctx, cancel := context.WithTimeout(ctx, javaVersionTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s -version failed: %w: %s", path, err, out)
	}
	major, ok := javaMajor(string(out))
	if !ok {
		return "", fmt.Errorf("%s -version printed no version: %s", path, out)
	}
	if major < MinJava {
		return "", &MissingError{What: fmt.Sprintf("Java %d (%s is Java %d)", MinJava, path, major), Get: getJava}
	}
	return path, nil
}

// javaMajor reads the major version from what `java -version` prints; before
// Java 9 that was "1.8.0".
func javaMajor(out string) (int, bool) {
	m := regexp.MustCompile(`version "(?:1\.)?(\d+)`).FindStringSubmatch(out)
	if m == nil {
		return 0, false
	}
	major, err := strconv.Atoi(m[1])
	return major, err == nil
}

// findMaven is the path of mvn.
func findMaven() (string, error) {
	path, err := exec.LookPath("mvn")
	if errors.Is(err, exec.ErrDot) || err != nil {
		return "", &MissingError{What: "Maven (mvn)", Get: getMaven}
	}
	return path, nil
}
