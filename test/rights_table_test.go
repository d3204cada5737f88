//go:build unix

package test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// aclRight is one ACL that an action needs.
type aclRight struct {
	operation kadm.ACLOperation
	on        aclResource
	// adds is what the right gives, for the page; empty for one that the action
	// can't do without.
	adds string
	// without is in what is said when only this right is missing.
	without string
}

// aclResource is what a right is on.
type aclResource string

const (
	onCluster aclResource = "cluster"
	onGroup   aclResource = "group"
	onTopic   aclResource = "topics"
	onState   aclResource = "topic `__share_group_state`"
)

// aclAction is one thing that a person does. Those after watch need the rights
// of watch that it can't do without as well.
type aclAction struct {
	name, what string
	rights     []aclRight
	// try does it and returns what is said to be missing; empty when all worked.
	// It waits for that to have in it what is expected.
	try func(t *testing.T, c aclCase, want string) string
}

// aclActions is the table that docs/acls.md shows and that testLeastRights
// tries on a real broker.
func aclActions() []aclAction {
	return []aclAction{
		{"watch", "see groups, members, offsets and lag", []aclRight{
			{kmsg.ACLOperationDescribe, onGroup, "", "DESCRIBE on the group is missing"},
			{kmsg.ACLOperationDescribe, onTopic, "", "DESCRIBE is missing on a topic that it reads"},
			{kmsg.ACLOperationDescribe, onCluster, "names the groups that you may not describe", "other groups are not named"},
			{
				kmsg.ACLOperationRead, onState, "heads, the State tab, the radar, archived records; fewer requests",
				"READ on the topic __share_group_state is missing",
			},
			{kmsg.ACLOperationDescribeConfigs, onGroup, "the Config tab, and findings by the group's own limits", "--operation DESCRIBE_CONFIGS --group"},
			{kmsg.ACLOperationDescribeConfigs, onCluster, "the allowed ranges of configs", "--operation DESCRIBE_CONFIGS --cluster"},
			{kmsg.ACLOperationDescribeConfigs, onTopic, "when retention deletes the record that holds a partition up", "retention is unknown"},
		}, tryWatch},
		{"peek", "read records without touching the group (`v`, tab 4)", []aclRight{
			{kmsg.ACLOperationRead, onTopic, "", "READ on the topic is missing"},
		}, tryPeek},
		{"consume", "take and decide records (`C`)", []aclRight{
			{kmsg.ACLOperationRead, onGroup, "", "READ on the group is missing"},
			{kmsg.ACLOperationRead, onTopic, "", "READ on topic"},
		}, tryConsume},
		{"reset", "write start offsets (`O`)", []aclRight{
			{kmsg.ACLOperationRead, onGroup, "", "READ on the group is missing"},
			{kmsg.ACLOperationRead, onTopic, "", "--operation READ --topic"},
		}, tryReset},
		{"config", "set and unset a group's configs", []aclRight{
			{kmsg.ACLOperationAlterConfigs, onGroup, "", "ALTER_CONFIGS on the group is missing"},
		}, tryConfig},
		{"delete", "delete a group (`D`)", []aclRight{
			{kmsg.ACLOperationDelete, onGroup, "", "DELETE on the group is missing"},
		}, tryDelete},
		{"delete offsets", "delete what a group has of a topic (`D`)", []aclRight{
			{kmsg.ACLOperationDelete, onGroup, "", "DELETE on the group is missing"},
			{kmsg.ACLOperationRead, onTopic, "", "READ on the topic"},
		}, tryDeleteOffsets},
	}
}

// needed are the rights that an action can't do without.
func (a *aclAction) needed() []aclRight {
	var out []aclRight
	for _, r := range a.rights {
		if r.adds == "" {
			out = append(out, r)
		}
	}
	return out
}

var updateACLs = flag.Bool("update-acls", false, "write the table of ACLs into docs/acls.md")

const (
	aclsBegin = "<!-- acls -->\n"
	aclsEnd   = "<!-- /acls -->"
)

// aclTable is the table as the page shows it.
func aclTable() string {
	var b strings.Builder
	b.WriteString("| to | operation | on | |\n|---|---|---|---|\n")
	for _, a := range aclActions() {
		name := fmt.Sprintf("**%s**: %s", a.name, a.what)
		for _, r := range a.rights {
			why := "needed"
			if r.adds != "" {
				why = "adds: " + r.adds
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, r.operation, r.on, why)
			name = ""
		}
	}
	return b.String()
}

// TestACLPage holds docs/acls.md against the table that is tried on brokers.
func TestACLPage(t *testing.T) {
	const file = "../docs/acls.md"
	text, err := os.ReadFile(file)
	must(t, err)
	before, rest, ok := strings.Cut(string(text), aclsBegin)
	shown, after, ok2 := strings.Cut(rest, aclsEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", file, aclsBegin, aclsEnd)
	}
	if *updateACLs {
		must(t, os.WriteFile(file, []byte(before+aclsBegin+aclTable()+aclsEnd+after), 0o644))
		return
	}
	if shown != aclTable() {
		t.Errorf("%s is not what is tested; go test ./test -run TestACLPage -update-acls writes:\n%s", file, aclTable())
	}
}
