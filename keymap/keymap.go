// Package keymap has every key of sharetop, by scope, with its help text and
// the reason when it can't work. The help screen and the key table of the
// README are made from it.
package keymap

// Scope names a part of the screen that has keys of its own.
type Scope string

// The scopes, in the order in which help and README show them.
const (
	ScopeEverywhere Scope = "everywhere"
	ScopeLists      Scope = "lists"
	ScopeGroups     Scope = "groups"
	ScopeGroup      Scope = "one group"
	ScopePartitions Scope = "partitions tab"
	ScopeConfig     Scope = "config tab"
	ScopeState      Scope = "state tab"
	ScopeRadar      Scope = "radar, archived"
	ScopeRecords    Scope = "records (peek)"
	ScopeLetters    Scope = "dead letters tab"
	ScopeConsume    Scope = "consume"
	ScopePlan       Scope = "reset plan"
	ScopeDeleted    Scope = "after deleting"
	ScopeClusters   Scope = "clusters"
	ScopeText       Scope = "text fields"
	ScopeDialogs    Scope = "dialogs"
	ScopeTyped      Scope = "typed confirmations"
	ScopeConfirm    Scope = "questions"
)

// KeyMap has the bindings of every scope.
type KeyMap struct {
	Everywhere Everywhere
	Lists      Lists
	Groups     Groups
	Group      Group
	Partitions Partitions
	Config     Config
	State      State
	Radar      Radar
	Records    Records
	Letters    Letters
	Consume    Consume
	Plan       Plan
	Deleted    Deleted
	Clusters   Clusters
	Text       Text
	Dialogs    Dialogs
	Typed      Typed
	Confirm    Confirm
}

// Section is one scope with its bindings, in the order in which they are shown.
type Section struct {
	Scope    Scope
	Bindings []Binding
}

// Default is the key map that sharetop has.
func Default() KeyMap {
	return KeyMap{
		Everywhere: defaultEverywhere(),
		Lists:      defaultLists(),
		Groups:     defaultGroups(),
		Group:      defaultGroup(),
		Partitions: defaultPartitions(),
		Config:     defaultConfig(),
		State:      defaultState(),
		Radar:      defaultRadar(),
		Records:    defaultRecords(),
		Letters:    defaultLetters(),
		Consume:    defaultConsume(),
		Plan:       defaultPlan(),
		Deleted:    defaultDeleted(),
		Clusters:   defaultClusters(),
		Text:       defaultText(),
		Dialogs:    defaultDialogs(),
		Typed:      defaultTyped(),
		Confirm:    defaultConfirm(),
	}
}

// All lists every scope with its bindings.
func (k KeyMap) All() []Section {
	return []Section{
		{ScopeEverywhere, k.Everywhere.Bindings()},
		{ScopeLists, k.Lists.Bindings()},
		{ScopeGroups, k.Groups.Bindings()},
		{ScopeGroup, k.Group.Bindings()},
		{ScopePartitions, k.Partitions.Bindings()},
		{ScopeConfig, k.Config.Bindings()},
		{ScopeState, k.State.Bindings()},
		{ScopeRadar, k.Radar.Bindings()},
		{ScopeRecords, k.Records.Bindings()},
		{ScopeLetters, k.Letters.Bindings()},
		{ScopeConsume, k.Consume.Bindings()},
		{ScopePlan, k.Plan.Bindings()},
		{ScopeDeleted, k.Deleted.Bindings()},
		{ScopeClusters, k.Clusters.Bindings()},
		{ScopeText, k.Text.Bindings()},
		{ScopeDialogs, k.Dialogs.Bindings()},
		{ScopeTyped, k.Typed.Bindings()},
		{ScopeConfirm, k.Confirm.Bindings()},
	}
}
