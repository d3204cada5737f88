package metrics

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

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
type Exporter struct {
	registry *prometheus.Registry
	series   *collector
}

// New makes an exporter of the boards. Interval is the time between two looks:
// the older the newest board may be before it counts as stale.
func New(boards Boards, now func() time.Time, interval time.Duration) *Exporter {
	e := &Exporter{registry: prometheus.NewPedanticRegistry(), series: newCollector(boards, now, interval)}
	e.registry.MustRegister(e.series)
	return e
}

// Write prints all series in the text format of Prometheus.
func (e *Exporter) Write(w io.Writer) error {
	families, err := e.registry.Gather()
	if err != nil {
		return fmt.Errorf("the series can't be put together: %w", err)
	}
	out := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, family := range families {
		if err := out.Encode(family); err != nil {
			return err
		}
	}
	return nil
}

// Handler serves /metrics (text, or OpenMetrics where it is asked for) and
// /healthz: 200 while the cluster answers, else 503 with a sentence.
func (e *Exporter) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(e.registry, promhttp.HandlerOpts{
		EnableOpenMetrics: true, MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout,
	}))
	mux.HandleFunc("GET /healthz", e.health)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "sharetop: the series of share groups are at /metrics, the health is at /healthz.")
	})
	return mux
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
