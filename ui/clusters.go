package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// Clusters finds the clusters on this machine and connects to them. Its methods
// read files and wait for hosts: they belong into commands.
type Clusters interface {
	// List is what there is now. What can't be used is among it, with why.
	List() []model.Profile
	// Open connects to one by its name. Ask reads a secret from the person; it
	// fails once ctx ends. The error is a sentence.
	Open(ctx context.Context, name string, ask func(prompt string) (model.Secret, error)) (*Cluster, error)
}

// Cluster is a connection with all that is done through it.
type Cluster struct {
	Source Snapshotter
	// Peeker reads records; nil where that can't be done.
	Peeker Peeker
	// Consumer opens consume sessions; nil where there are none.
	Consumer Consumer
	// Audit reads the audit file for :audit; nil where there is none.
	Audit AuditLog
	// Changer changes groups; nil where nothing can be changed.
	Changer Changer
	// Profile is the name in Clusters.List; empty for a cluster that is not
	// among them.
	Profile string
	// ClusterName is what the header calls the cluster; sanitised here again.
	// Color is what it is shown in; empty for none.
	ClusterName string
	Color       model.ClusterColor
	// Bootstrap are the host:port pairs that are tried first, and that stand in
	// the commands that the copy menu offers. Where it is empty a broker stands
	// there as it advertises itself.
	Bootstrap []string
	// ReadOnly and Demo are shown as badges. Read-only itself is enforced by the
	// Source, not here.
	ReadOnly, Demo bool
	// Insecure shows that the brokers' host names are not checked.
	Insecure bool
	// Settings are what made the connection, for :settings; Warnings are
	// sentences about them.
	Settings []model.Setting
	Warnings []string
	// Close ends all of it within seconds, and says in sentences what a person
	// has to know of that. Nil where there is nothing to close.
	Close func() []string
}

// switching is a change to another cluster under way.
type switching struct {
	number    int
	ctx       context.Context
	cancel    context.CancelFunc
	questions chan question
}

// question asks the person for a secret. Its answer has room for the one.
type question struct {
	prompt string
	answer chan<- model.Secret
}

// connectStatus is how connecting to another cluster does, for the screen.
type connectStatus struct {
	// name is what is being connected to since then; empty for nothing.
	name  string
	since time.Time
	// failed is what could not be connected to last, and why.
	failed, why string
}

// switchTo asks for another cluster by its name in the list.
type switchTo struct{ name string }

// stopSwitch ends a change that is under way.
type stopSwitch struct{}

func (switchTo) isIntent()   {}
func (stopSwitch) isIntent() {}

type (
	// profilesMsg has what was found on this machine.
	profilesMsg struct{ profiles []model.Profile }
	// openedMsg has a cluster that was connected to, or why not.
	openedMsg struct {
		number  int
		cluster *Cluster
		err     error
	}
	// questionMsg is a question of the change with that number.
	questionMsg struct {
		number   int
		question question
	}
	// closedMsg says what a person has to know of a cluster that was closed.
	closedMsg struct{ lines []string }
)

func listProfiles(c Clusters) tea.Cmd {
	return func() tea.Msg { return profilesMsg{c.List()} }
}

func openCluster(ctx context.Context, c Clusters, name string, questions chan<- question, number int) tea.Cmd {
	ask := func(prompt string) (model.Secret, error) { return askPerson(ctx, questions, prompt) }
	return func() tea.Msg {
		cluster, err := c.Open(ctx, name, ask)
		return openedMsg{number, cluster, err}
	}
}

var errNotAnswered = errors.New("it was not given")

// askPerson hands a question to the screen and waits for the answer.
func askPerson(ctx context.Context, questions chan<- question, prompt string) (model.Secret, error) {
	answer := make(chan model.Secret, 1)
	select {
	case questions <- question{prompt, answer}:
	case <-ctx.Done():
		return model.Secret{}, errNotAnswered
	}
	select {
	case secret := <-answer:
		return secret, nil
	case <-ctx.Done():
		return model.Secret{}, errNotAnswered
	}
}

// nextQuestion waits for a question until the change is over.
func nextQuestion(ctx context.Context, questions <-chan question, number int) tea.Cmd {
	return func() tea.Msg {
		select {
		case q := <-questions:
			return questionMsg{number, q}
		case <-ctx.Done():
			return nil
		}
	}
}

func closeCluster(c Cluster) tea.Cmd {
	if c.Close == nil {
		return nil
	}
	return func() tea.Msg { return closedMsg{c.Close()} }
}
