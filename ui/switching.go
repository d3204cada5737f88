package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// This file is how the app changes from one cluster to another: it connects to
// the new one while the old one is still shown, and then leaves and closes all of
// the old one.

// commandContext opens the list of clusters, or goes to one by its name.
func (a *App) commandContext(name string) tea.Cmd {
	if a.env.cfg.Clusters == nil {
		return a.say(levelInfo, "There is no other cluster here.")
	}
	cmd := a.openClusters()
	if name != "" {
		cmd = tea.Batch(cmd, a.switchTo(name))
	}
	return cmd
}

func (a *App) openClusters() tea.Cmd {
	list := listProfiles(a.env.cfg.Clusters)
	if _, already := a.page().(*clustersPage); already {
		return list
	}
	return tea.Batch(a.push(newClustersPage(&a.env)), list)
}

// toClusters carries out an intent about clusters; done is false for another.
func (a *App) toClusters(want intent) (cmd tea.Cmd, done bool) {
	switch want := want.(type) {
	case switchTo:
		return a.switchTo(want.name), true
	case stopSwitch:
		a.stopSwitch()
		return nil, true
	case answerQuestion:
		want.answer <- want.secret
		return a.closeDialog(), true
	case refuseQuestion:
		a.stopSwitch()
		return a.closeDialog(), true
	}
	return nil, false
}

// whyStay says why this cluster can't be left now; empty when it can.
func (a *App) whyStay() string {
	if c := a.consuming(); c != nil {
		return "A session of " + c.request.Group.String() + " is open: leave it first."
	}
	for _, p := range a.pages {
		if b, ok := p.(interface{ changing() bool }); ok && b.changing() {
			return "A change is under way: wait for what comes of it, or stop waiting to make it."
		}
	}
	return ""
}

// switchTo begins to connect to a cluster.
func (a *App) switchTo(name string) tea.Cmd {
	if why := a.whyStay(); why != "" {
		return a.say(levelWarn, why)
	}
	a.stopSwitch()
	a.switches++
	ctx, cancel := context.WithCancel(context.Background())
	s := &switching{number: a.switches, ctx: ctx, cancel: cancel, questions: make(chan question)}
	a.switching = s
	a.env.connect = connectStatus{name: name, since: a.env.now}
	a.tellClusters()
	return tea.Batch(openCluster(ctx, a.env.cfg.Clusters, name, s.questions, s.number), nextQuestion(ctx, s.questions, s.number))
}

// stopSwitch gives up the change that is under way, if there is one.
func (a *App) stopSwitch() {
	if a.switching != nil {
		a.switching.cancel()
		a.switching = nil
	}
	a.env.connect.name = ""
	a.tellClusters()
}

// tellClusters lets the list of clusters fit to how connecting does.
func (a *App) tellClusters() {
	for _, p := range a.pages {
		if c, ok := p.(*clustersPage); ok {
			c.fit(&a.env)
		}
	}
}

// clusterMsg handles the replies of this file's commands; done is false for any
// other message.
func (a *App) clusterMsg(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case profilesMsg:
		a.env.profiles = msg.profiles
		a.tellClusters()
		return nil, true
	case questionMsg:
		return a.asked(msg), true
	case openedMsg:
		return a.opened(msg), true
	case closedMsg:
		if len(msg.lines) > 0 {
			return a.say(levelWarn, strings.Join(msg.lines, " ")), true
		}
		return nil, true
	}
	return nil, false
}

// asked puts a question of the change that is under way to the person, and
// waits for the next one.
func (a *App) asked(m questionMsg) tea.Cmd {
	s := a.switching
	if s == nil || s.number != m.number {
		return nil
	}
	return tea.Batch(a.carryOut(openDialog{newSecretDialog(m.question)}), nextQuestion(s.ctx, s.questions, s.number))
}

// opened goes over to a cluster, or says why it can't be connected to. One that
// nobody wants any more is closed.
func (a *App) opened(m openedMsg) tea.Cmd {
	if a.switching == nil || a.switching.number != m.number {
		if m.cluster != nil {
			return closeCluster(*m.cluster)
		}
		return nil
	}
	name := a.env.connect.name
	a.stopSwitch()
	if m.err != nil {
		a.env.connect = connectStatus{failed: name, why: capitalised(model.Sanitize(m.err.Error()))}
		a.tellClusters()
		return nil
	}
	if why := a.whyStay(); why != "" {
		return tea.Batch(closeCluster(*m.cluster), a.say(levelWarn, why))
	}
	return a.goOver(*m.cluster)
}

// goOver shows another cluster, and closes all of the one before.
func (a *App) goOver(next Cluster) tea.Cmd {
	old := a.env.cfg.Cluster
	for _, p := range a.pages {
		closePage(p)
		if l, ok := p.(leaver); ok {
			l.leave()
		}
	}
	clear(a.dialogs)
	a.dialogs, a.held = nil, nil
	a.status.dismiss()

	a.env.cfg.Cluster = next
	a.env.connect = connectStatus{}
	a.env.keys = keysFor(&a.env.cfg)
	a.env.board, a.env.rows = nil, nil
	a.env.query, a.env.filter = model.Query{}, ""
	a.revision++
	a.feed.restart(a.env.cfg)
	a.env.feed = a.feed.status
	a.pages = []page{newGroupsPage(&a.env)}
	cmd := closeCluster(old)
	if len(next.Warnings) > 0 {
		cmd = tea.Batch(cmd, a.say(levelWarn, count(len(next.Warnings), "warning", "warnings")+" about the settings: :settings shows them."))
	}
	return cmd
}
