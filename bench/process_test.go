//go:build unix

package bench

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// programs are the programs that are measured, built for this run. Each is a
// copy of what the linker left, as every installer makes one: the linker's own
// file lies in the page cache in single pages, and its first page faults take 2
// to 3 ms longer until the kernel has read it anew.
type programs struct{ sharetop, floor string }

func buildPrograms(b *testing.B) programs {
	b.Helper()
	dir := b.TempDir()
	p := programs{sharetop: filepath.Join(dir, "sharetop"), floor: filepath.Join(dir, "floor")}
	for out, pkg := range map[string]string{p.sharetop: "sharetop", p.floor: "sharetop/bench/floor/cmd"} {
		linked := out + ".linked"
		build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", linked, pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the README builds it
		if text, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%s can't be built: %v\n%s", pkg, err, text)
		}
		if err := install(linked, out); err != nil {
			b.Fatal(err)
		}
	}
	return p
}

func install(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// figure is what one run of a process took.
type figure struct {
	wall time.Duration
	// rss is the process's largest resident set, in bytes.
	rss int64
}

// contender is one of the commands that are compared.
type contender struct {
	name string
	argv []string
	// rounds is how often it runs; slow ones run less often.
	rounds int
}

// compete runs the contenders in turn, so that a slow moment of the machine
// hits all of them, and reports the median of each, and each as a multiple of
// the second: "x-floor" is the first contender's wall time over the floor's.
func compete(b *testing.B, contenders ...contender) {
	b.Helper()
	figures := make([][]figure, len(contenders))
	for round := range slices.MaxFunc(contenders, func(a, b contender) int { return a.rounds - b.rounds }).rounds {
		for i, c := range contenders {
			if round < c.rounds {
				figures[i] = append(figures[i], runOnce(b, c.argv))
			}
		}
	}
	for range b.N { // the rounds above are the measurement; b.N is 1
		continue
	}
	first := medianWall(figures[0])
	for i, c := range contenders {
		wall := medianWall(figures[i])
		b.ReportMetric(float64(wall.Microseconds())/1000, c.name+"-ms")
		b.ReportMetric(float64(medianRSS(figures[i]))/(1<<20), c.name+"-MiB")
		if i > 0 {
			b.ReportMetric(float64(first)/float64(wall), "x-"+c.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// runOnce runs a command to its end and fails the benchmark when it fails.
func runOnce(b *testing.B, argv []string) figure {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if err != nil {
		b.Fatalf("%v failed: %v\n%.2000s", argv, err, out.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return figure{wall: wall, rss: usage.Maxrss * rssUnit}
}

// rssUnit is the unit of Rusage.Maxrss on Linux.
const rssUnit = 1 << 10

func medianWall(figures []figure) time.Duration {
	walls := make([]time.Duration, len(figures))
	for i, f := range figures {
		walls[i] = f.wall
	}
	slices.Sort(walls)
	return walls[len(walls)/2]
}

func medianRSS(figures []figure) int64 {
	sizes := make([]int64, len(figures))
	for i, f := range figures {
		sizes[i] = f.rss
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}
