package broker

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// kafkaHome is a Java and a Kafka version's jars.
type kafkaHome struct {
	java string
	jars string
}

// findKafka fetches the version if it has to.
func findKafka(ctx context.Context, version string) (kafkaHome, error) {
	java, err := findJava(ctx)
	if err != nil {
		return kafkaHome{}, err
	}
	jars, err := Artifacts(ctx, version)
	return kafkaHome{java: java, jars: jars}, err
}

// command is the command line of one of Kafka's main classes. Without the
// compiler's second stage short-lived Java is faster; perf data would leave
// files behind after a SIGKILL.
func (h kafkaHome) command(logConfig, heap, class string, args ...string) []string {
	return append([]string{
		h.java, "-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"-Dlog4j2.configurationFile=" + logConfig, "-cp", filepath.Join(h.jars, "*"), class,
	}, args...)
}

// logConfigFor is a log4j2 configuration that writes to standard error.
func logConfigFor(level string) string {
	return `<Configuration><Appenders><Console name="E" target="SYSTEM_ERR">
<PatternLayout pattern="%d{ISO8601} %p %m (%c{1})%n%throwable"/></Console></Appenders>
<Loggers><Root level="` + level + `"><AppenderRef ref="E"/></Root></Loggers></Configuration>
`
}

// lastLines are the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// tail are the last n lines of a file; empty when it can't be read.
func tail(path string, n int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return lastLines(string(text), n)
}
