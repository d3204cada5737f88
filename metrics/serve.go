package metrics

import (
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"sharetop/model"
)

// Bounds of the server: who scrapes has this long for one scrape, and so many
// may scrape at a time. More get 503.
const (
	scrapeTimeout = 10 * time.Second
	maxScrapes    = 10
	maxHeader     = 16 << 10
)

// Exporter has the series of the newest board.
type Exporter struct{ series *collector }

// New makes an exporter of the boards. Interval is the time between two looks:
// the older the newest board may be before it counts as stale.
func New(boards Boards, now func() time.Time, interval time.Duration) *Exporter {
	return &Exporter{series: newCollector(boards, now, interval)}
}

// Write prints all series in the text format of Prometheus.
func (e *Exporter) Write(w io.Writer) error {
	for _, family := range e.series.collect().all() {
		if err := family.write(w); err != nil {
			return err
		}
	}
	return nil
}

// Handler serves /metrics (text, or OpenMetrics where it is asked for) and
// /healthz: 200 while the cluster answers, else 503 with a sentence.
func (e *Exporter) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", bounded(e.scrape))
	mux.HandleFunc("GET /healthz", e.health)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "sharetop: the series of share groups are at /metrics, the health is at /healthz.")
	})
	return mux
}

// bounded lets maxScrapes in at a time, for scrapeTimeout each.
func bounded(serve http.HandlerFunc) http.Handler {
	timed := http.TimeoutHandler(serve, scrapeTimeout, "The series could not be put together in time.\n")
	free := make(chan struct{}, maxScrapes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
			timed.ServeHTTP(w, r)
		default:
			http.Error(w, "Too many scrapes at a time: at most "+strconv.Itoa(maxScrapes)+".", http.StatusServiceUnavailable)
		}
	})
}

// scrape answers with all series, packed where that is taken: names repeat
// in every line. An error of writing means that nobody reads any more.
func (e *Exporter) scrape(w http.ResponseWriter, r *http.Request) {
	wanted := wantedBy(r.Header)
	w.Header().Set("Content-Type", wanted.format)
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	var out io.Writer = w
	if wanted.packed {
		w.Header().Set("Content-Encoding", "gzip")
		packer := gzip.NewWriter(w)
		defer packer.Close()
		out = packer
	}
	if e.Write(out) == nil && wanted.format == openMetrics {
		_, _ = io.WriteString(out, endOfOpenMetrics)
	}
}

func (e *Exporter) health(w http.ResponseWriter, _ *http.Request) {
	b := e.series.boards()
	if e.series.isUp(b) {
		fmt.Fprintln(w, "ok")
		return
	}
	http.Error(w, sickness(b), http.StatusServiceUnavailable)
}

// sickness says why nothing recent can be told.
func sickness(b *model.Board) string {
	if b == nil || b.Snapshot == nil {
		return "The cluster has not answered yet."
	}
	for _, p := range model.AllProblems(b.Snapshot) {
		if p.Kind == model.ProblemUnreachable || p.Kind == model.ProblemDenied {
			return p.Detail
		}
	}
	return "No broker has answered for a while."
}

// NewServer makes the HTTP server, with bounds on how long anything may take.
func (e *Exporter) NewServer() *http.Server {
	return &http.Server{
		Handler:           e.Handler(),
		ReadHeaderTimeout: scrapeTimeout,
		ReadTimeout:       scrapeTimeout,
		WriteTimeout:      2 * scrapeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
	}
}

// ListenAddress completes host:port. Without a host it is this machine only:
// what groups there are is nobody else's business unless a person says so.
func ListenAddress(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = "", text
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("%q is not an address to listen on: give HOST:PORT, or a port for this machine only", text)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}
