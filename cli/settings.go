package cli

import (
	"github.com/spf13/cobra"

	"sharetop/model"
)

// newSettings is the command that prints the effective settings.
func newSettings(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "settings",
		Short: "Print the effective settings, where each comes from, and no secret",
		Long: "settings connects to nothing: it prints what flags, variables, the profile and the files of Java or of\n" +
			"other tools come to, with what was left out and why. It fails where they contradict each other.",
		Example: "  sharetop settings --command-config client.properties\n  sharetop settings --context kaf:prod -o json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			form, err := parseFormat(p.shared.output)
			if err != nil {
				return err
			}
			resolved, err := p.env.Connect(p.connect.request())
			v := &visit{program: p, format: form}
			if writeErr := v.writeSettings(resolved.Settings); writeErr != nil {
				return writeErr
			}
			warn(p.env, resolved.Warnings)
			return err
		},
	}
}

func settingsSheet() sheet {
	return sheet{name: "settings", columns: []column{
		{title: "SETTING", name: "key"},
		{title: "VALUE", name: "value"},
		{title: "SOURCE", name: "source"},
		{title: "NOTE", name: "note"},
	}}
}

// writeSettings prints one setting a line.
func (v *visit) writeSettings(settings []model.Setting) error {
	out := v.printer(settingsSheet())
	for _, s := range settings {
		out.add(of(model.NewText(s.Key)), of(model.NewText(s.Value)), of(model.NewText(s.Source)), of(s.Note))
	}
	return out.end(nil)
}
