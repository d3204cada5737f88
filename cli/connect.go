package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"sharetop/model"
)

// connectFlags are the flags that say how to reach a cluster and who we are. No
// secret has a flag: everybody on a machine can read the arguments.
type connectFlags struct {
	bootstrap     []string
	commandConfig string
	overrides     []string
	context       string
	jumps         []string
	socks5        string
	resolve       []string
	readOnly      bool
}

func (f *connectFlags) register(set *pflag.FlagSet) {
	set.SortFlags = false
	set.StringSliceVar(&f.bootstrap, "bootstrap-server", nil,
		"brokers to start from, as `HOST:PORT,...` (environment: "+envBootstrap+")")
	set.StringVar(&f.commandConfig, "command-config", "", "`file` of Java client properties, as for Kafka's own commands")
	set.StringArrayVarP(&f.overrides, "property", "X", nil, "one client property, as `KEY=VALUE`; counts before those of files")
	set.StringVar(&f.context, "context", "",
		"`profile` to use: of config.toml, or found in kcat, kaf, kafkactl, rpk or kcl files, e.g. kaf:prod")
	set.StringSliceVar(&f.jumps, "ssh-jump", nil, "reach the brokers through SSH hosts, as `[USER@]HOST[:PORT],...`")
	set.StringVar(&f.socks5, "socks5", "", "reach the brokers through a SOCKS5 proxy, as `[USER@]HOST:PORT`")
	set.StringSliceVar(&f.resolve, "resolve", nil, "dial another address than a broker advertises, as `NAME:PORT=ADDR:PORT`")
	set.BoolVar(&f.readOnly, "read-only", false,
		"refuse every request that could change something (environment: "+envReadOnly+"=1)")
}

// request is what the flags ask for.
func (f *connectFlags) request() model.ConnectRequest {
	req := model.ConnectRequest{Overrides: f.overrides, CommandConfig: f.commandConfig, Context: f.context}
	add := func(key, value, flag string) {
		if value != "" {
			req.Flags = append(req.Flags, model.Override{Key: key, Value: value, Flag: flag})
		}
	}
	add("bootstrap.servers", strings.Join(f.bootstrap, ","), "--bootstrap-server")
	add("sharetop.ssh.jump", strings.Join(f.jumps, ","), "--ssh-jump")
	add("sharetop.resolve", strings.Join(f.resolve, ","), "--resolve")
	add("sharetop.socks5", f.socks5, "--socks5")
	if f.readOnly {
		add("sharetop.read.only", "true", "--read-only")
	}
	return req
}

// warn writes warnings to stderr, one a line.
func warn(env Env, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(env.Stderr, "sharetop: warning: %s\n", model.Sanitize(w))
	}
}
