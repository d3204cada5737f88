package ui

import "testing"

// What a server does not tell is named beside a config, and is no row.
func TestConfigsThatAreMissingAreNamed(t *testing.T) {
	b := openRefunds()
	b.Open.Row.Group.Configs.Missing = []string{"share.assignment.interval.ms", "share.max.nonsense"}
	drive(t, 120, 40, func(d *driver) {
		d.board(b)
		d.keys("3")
		d.wantText("absent   this server has not got share.assignment.interval.ms, share.max.nonsense: Kafka's defaults are assumed")
	}, openPage("payments-retry"))
}
