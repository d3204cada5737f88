package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"sharetop/model"
)

// problemKey says which action on which thing failed; the next success of the
// same action cures the problem.
type problemKey struct{ action, name string }

// The actions that can fail.
const (
	actionReach      = "reach"      // a broker
	actionList       = "list"       // a broker
	actionDescribe   = "describe"   // a group
	actionOffsets    = "offsets"    // a group
	actionPartitions = "partitions" // a group
	actionUnseen     = "unseen"     // a group
	actionHidden     = "hidden"     // a group and a topic
	actionLost       = "lost"       // a group and a topic
	actionTopic      = "topic"      // a topic
	actionLog        = "log"        // a topic
	actionFeature    = "feature"    // the cluster
	actionBootstrap  = "bootstrap"  // the cluster
	actionSettings   = "settings"   // all groups
	actionLimits     = "limits"     // the cluster
	actionStateTopic = "statetopic" // the state topic can't be read
	actionTail       = "tail"       // the state topic is not read to its end
	actionCross      = "cross"      // a group
)

// aclCommand is the hint how to grant something.
func aclCommand(operation, resource, name string) string {
	return fmt.Sprintf("grant %s on %s %s, e.g. kafka-acls.sh --add --allow-principal User:<you> --operation %s --%s %s",
		operation, resource, name, operation, resource, quote(name))
}

// quote makes a name one word for a POSIX shell.
func quote(name string) string {
	if name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r)
	}) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// codeText is the broker's word for an error code, with its message if it sent
// one.
func codeText(code int16, message string) string {
	text := fmt.Sprintf("error %d", code)
	if err, ok := errors.AsType[*kerr.Error](kerr.ErrorForCode(code)); ok && err.Code == code {
		text = err.Message
	}
	if message != "" {
		text += " (" + safeText(message) + ")"
	}
	return text
}

// groupProblem says what it means that the broker answered code for a group;
// what is what could not be seen, e.g. "members and state".
func groupProblem(group, what string, code int16, message string) model.Problem {
	name := safeText(group)
	p := model.Problem{Kind: model.ProblemOther, Target: target("group", group)}
	switch code {
	case kerr.GroupAuthorizationFailed.Code:
		p.Kind = model.ProblemDenied
		p.Detail = fmt.Sprintf("The %s of %s are not shown: DESCRIBE on the group is missing.", what, name)
		p.Advice = aclCommand("DESCRIBE", "group", name)
	case kerr.TopicAuthorizationFailed.Code:
		p.Kind = model.ProblemDenied
		p.Detail = fmt.Sprintf("The %s of %s are not shown: DESCRIBE is missing on a topic that it reads, "+
			"and the broker does not say on which.", what, name)
		p.Advice = "grant DESCRIBE on every topic that the group reads"
	case kerr.CoordinatorLoadInProgress.Code:
		p.Kind = model.ProblemLoading
		p.Detail = fmt.Sprintf("The %s of %s are missing or old: its coordinator is loading.", what, name)
	case kerr.CoordinatorNotAvailable.Code:
		p.Kind = model.ProblemLoading
		p.Detail = fmt.Sprintf("The %s of %s are missing or old: its coordinator is not available (on a server at its limit of groups it never is).", what, name)
	case kerr.NotCoordinator.Code:
		p.Kind = model.ProblemLoading
		p.Detail = fmt.Sprintf("The %s of %s are missing or old: its coordinator is moving to another broker.", what, name)
	case kerr.GroupIDNotFound.Code:
		p.Kind = model.ProblemGone
		p.Detail = fmt.Sprintf("There is no share group %s: %s.", name, codeText(code, message))
	case kerr.UnsupportedVersion.Code:
		p.Kind = model.ProblemFeature
		p.Detail = fmt.Sprintf("The %s of %s are not shown: share groups are disabled on this cluster.", what, name)
		p.Advice = adviceEnable
	default:
		p.Detail = fmt.Sprintf("The %s of %s are missing or old: %s.", what, name, codeText(code, message))
	}
	return p
}

// partitionProblem says why one share-partition has no offsets.
func partitionProblem(p *partitionOffsets) model.Problem {
	place := fmt.Sprintf("%s-%d", p.topic, p.partition)
	problem := model.Problem{
		Kind: model.ProblemOther, Target: target("partition", place),
		Detail: fmt.Sprintf("The offsets of %s are missing or old: %s.", safeText(place), codeText(p.errorCode, p.errorText)),
	}
	switch p.errorCode {
	case kerr.TopicAuthorizationFailed.Code:
		problem.Kind = model.ProblemDenied
		problem.Advice = aclCommand("DESCRIBE", "topic", safeText(p.topic))
	case kerr.UnknownTopicOrPartition.Code, kerr.UnknownTopicID.Code:
		problem.Kind = model.ProblemGone
	case kerr.NotLeaderForPartition.Code, kerr.LeaderNotAvailable.Code:
		problem.Kind = model.ProblemLoading
	}
	return problem
}

// partitionsProblem says that some partitions of a group have no offsets; first
// is the problem of the first of them.
func partitionsProblem(group string, missing, all int, first *model.Problem) model.Problem {
	p := *first
	p.Target = target("group", group)
	p.Detail = fmt.Sprintf("The offsets of %d of %d partitions of %s are missing or old. %s",
		missing, all, safeText(group), first.Detail)
	return p
}

// topicProblem says what it means that the cluster answered code for a topic.
func topicProblem(topic string, code int16) model.Problem {
	name := safeText(topic)
	p := model.Problem{Kind: model.ProblemOther, Target: target("topic", topic)}
	switch code {
	case kerr.TopicAuthorizationFailed.Code:
		p.Kind = model.ProblemDenied
		p.Detail = fmt.Sprintf("The log offsets of %s are not shown: DESCRIBE on the topic is missing.", name)
		p.Advice = aclCommand("DESCRIBE", "topic", name)
	case kerr.UnknownTopicOrPartition.Code, kerr.UnknownTopicID.Code:
		p.Kind = model.ProblemGone
		p.Detail = fmt.Sprintf("Topic %s does not exist, though a share group reads it or did.", name)
		p.Advice = "create the topic again, or let the group's members subscribe to another"
	case kerr.LeaderNotAvailable.Code, kerr.NotLeaderForPartition.Code:
		p.Kind = model.ProblemLoading
		p.Detail = fmt.Sprintf("The log offsets of %s are missing: a partition's leader is moving.", name)
	default:
		p.Detail = fmt.Sprintf("The log offsets of %s are missing: %s.", name, codeText(code, ""))
	}
	return p
}

// hiddenTopicProblem names a topic that the broker left out of a group's
// offsets without saying so; which is how we know of it.
func hiddenTopicProblem(group, topic, which string) model.Problem {
	return model.Problem{
		Kind: model.ProblemHidden, Target: target("topic", topic),
		Detail: fmt.Sprintf("The offsets of %s lack topic %s, which %s: the broker leaves out topics "+
			"that may not be described.", safeText(group), safeText(topic), which),
		Advice: aclCommand("DESCRIBE", "topic", safeText(topic)),
	}
}

// unseenTopicsProblem says that the state topic has share-partitions of topics
// that can't be named.
func unseenTopicsProblem(group string, partitions, topics int) model.Problem {
	return model.Problem{
		Kind: model.ProblemHidden, Target: target("group", group),
		Detail: fmt.Sprintf("What %s has of %s in %s is not shown and not counted: DESCRIBE on the topic is missing, or "+
			"it was deleted, and the broker does not say which one it is.", safeText(group),
			counted(partitions, "partition"), counted(topics, "topic")),
		Advice: "grant DESCRIBE on every topic that the group reads",
	}
}

// counted is "1 topic", "2 topics".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// lostTopicProblem names a topic that was deleted under a group.
func lostTopicProblem(group, topic string) model.Problem {
	return model.Problem{
		Kind: model.ProblemGone, Target: target("topic", topic),
		Detail: fmt.Sprintf("Topic %s was deleted; with it went what %s had of it.", safeText(topic), safeText(group)),
	}
}

// remadeTopicProblem names a topic that was made again under a group.
func remadeTopicProblem(group, topic string) model.Problem {
	return model.Problem{
		Kind: model.ProblemGone, Target: target("old topic", topic),
		Detail: fmt.Sprintf("Topic %s was deleted and made again; with the old one went what %s had of it, and the new one has "+
			"no start offset yet.", safeText(topic), safeText(group)),
	}
}

// brokerName is how a broker is called in a sentence.
func brokerName(id int32, addr string) string {
	return fmt.Sprintf("broker %d (%s)", id, safeText(addr))
}

// reachProblem says that a broker could not be reached or asked, and what is
// missing because of that.
func reachProblem(id int32, addr string, err error) model.Problem {
	return refusedProblem(err, model.Problem{
		Kind: model.ProblemUnreachable, Target: target("broker", strconv.Itoa(int(id))),
		Detail: fmt.Sprintf("%s %s: its groups and the log ends it leads are missing or old.",
			capital(brokerName(id, addr)), whyUnreachable(err)),
		Advice: "check that the broker runs and that its advertised address can be reached from here",
	})
}

// refusedProblem gives a problem the kind and the remedy of a refusal, where
// the error is one.
func refusedProblem(err error, p model.Problem) model.Problem {
	if r, ok := errors.AsType[*refusal](err); ok {
		p.Kind, p.Advice = r.kind, r.advice
	}
	return p
}

// offsetsReachProblem says that a broker did not answer for offsets.
func offsetsReachProblem(id int32, addr string, err error) model.Problem {
	p := reachProblem(id, addr, err)
	p.Detail = fmt.Sprintf("%s %s when asked for offsets: the lag of its groups is missing or old.",
		capital(brokerName(id, addr)), whyUnreachable(err))
	return p
}

// slowProblem says that a broker has not answered yet.
func slowProblem(id int32, addr string) model.Problem {
	return reachProblem(id, addr, errNoAnswerYet)
}

var errNoAnswerYet = errors.New("has not answered yet")

// listProblem says that a broker gave no complete list of its groups.
func listProblem(id int32, addr string, code int16) model.Problem {
	p := model.Problem{Kind: model.ProblemOther, Target: target("broker", strconv.Itoa(int(id)))}
	why := codeText(code, "")
	switch code {
	case kerr.CoordinatorLoadInProgress.Code:
		p.Kind, why = model.ProblemLoading, "its coordinator is loading"
	case kerr.CoordinatorNotAvailable.Code, kerr.NotCoordinator.Code:
		p.Kind, why = model.ProblemLoading, "its coordinator is not available"
	case kerr.ClusterAuthorizationFailed.Code:
		p.Kind = model.ProblemDenied
		p.Advice = "grant DESCRIBE on the cluster, or DESCRIBE on the groups"
	}
	p.Detail = fmt.Sprintf("Groups of %s may be missing: %s.", brokerName(id, addr), why)
	return p
}

// silenceProblem says that no broker has answered so far: not yet a failure, as
// its other target tells.
func silenceProblem(servers []string) model.Problem {
	p := bootstrapProblem(servers, errNoAnswerYet)
	p.Target = target("bootstrap servers", "")
	p.Detail = fmt.Sprintf("No broker of %s has answered yet.", safeText(strings.Join(servers, ",")))
	return p
}

// bootstrapProblem says that no broker answered at all.
func bootstrapProblem(servers []string, err error) model.Problem {
	return refusedProblem(err, model.Problem{
		Kind: model.ProblemUnreachable, Target: target("cluster", ""),
		Detail: fmt.Sprintf("No broker of %s can be asked: the last one tried %s.",
			safeText(strings.Join(servers, ",")), whyUnreachable(err)),
		Advice: "check the bootstrap servers, the network, and whether the listener wants TLS or a login",
	})
}

const adviceEnable = "enable them: kafka-features.sh upgrade --feature share.version=1"

// supportProblem says what is missing at a level of support; ok is false when
// nothing is.
func supportProblem(s model.ShareSupport) (model.Problem, bool) {
	p := model.Problem{Kind: model.ProblemFeature, Target: target("cluster", "")}
	switch s {
	case model.ShareTooOld:
		p.Detail = "The brokers do not know share groups: they came with Kafka 4.1 as a preview and are complete from 4.2."
		p.Advice = "upgrade the brokers to Kafka 4.2 or later"
	case model.ShareDisabled:
		p.Detail = "Share groups are disabled on this cluster: the feature share.version is not set."
		p.Advice = adviceEnable
	case model.SharePreview:
		p.Detail = "Share groups are a preview on these brokers (Kafka 4.1): they do not tell the lag; only the state topic does."
		p.Advice = "upgrade the brokers to Kafka 4.2 or later"
	default:
		return model.Problem{}, false
	}
	return p, true
}

// settingsProblem says that the configs of some groups may not be read.
func settingsProblem(groups int, example string, code int16, message string) model.Problem {
	p := model.Problem{
		Kind: model.ProblemOther, Target: target("group configs", ""), Configs: true,
		Detail: fmt.Sprintf("The configs of %s cannot be read (e.g. %s), Kafka's defaults are assumed: %s.",
			counted(groups, "group"), safeText(example), codeText(code, message)),
	}
	if denied(code) {
		p.Kind = model.ProblemDenied
		p.Advice = aclCommand("DESCRIBE_CONFIGS", "group", safeText(example))
	}
	return p
}

// limitsProblem says that the broker's settings may not be read.
func limitsProblem(code int16, message string) model.Problem {
	p := model.Problem{
		Kind: model.ProblemOther, Target: target("broker configs", ""), Configs: true,
		Detail: fmt.Sprintf("The allowed ranges of group configs are not shown: %s.", codeText(code, message)),
	}
	if denied(code) {
		p.Kind = model.ProblemDenied
		p.Advice = "grant DESCRIBE_CONFIGS on the cluster, e.g. kafka-acls.sh --add --allow-principal User:<you> " +
			"--operation DESCRIBE_CONFIGS --cluster"
	}
	return p
}

func denied(code int16) bool {
	switch code {
	case kerr.TopicAuthorizationFailed.Code, kerr.GroupAuthorizationFailed.Code, kerr.ClusterAuthorizationFailed.Code:
		return true
	default:
		return false
	}
}

// takesAway tells whether an error says that what was known may not be seen any
// more, or is no more. After any other it is still worth showing, with the
// problem that says why it is old.
func takesAway(code int16) bool {
	return denied(code) || gone(code) || code == kerr.GroupIDNotFound.Code || code == kerr.UnsupportedVersion.Code
}

// transient tells whether an error passes by itself, so that the same request is
// worth another try.
func transient(code int16) bool {
	switch code {
	case kerr.CoordinatorLoadInProgress.Code, kerr.CoordinatorNotAvailable.Code, kerr.NotCoordinator.Code,
		kerr.RequestTimedOut.Code:
		return true
	default:
		return false
	}
}

// whyUnreachable puts a transport error into the words of a sentence.
func whyUnreachable(err error) string {
	var timeout net.Error
	var refused *refusal
	switch {
	case errors.Is(err, errNoAnswerYet):
		return err.Error()
	case errors.As(err, &refused):
		return refused.why
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "did not answer in time"
	case strings.Contains(err.Error(), "connection refused"):
		return "refuses connections"
	default:
		return "failed (" + safeText(err.Error()) + ")"
	}
}

// whyAndRemedy is whyUnreachable with what would help, where that is known.
func whyAndRemedy(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok && r.advice != "" {
		return r.why + " (" + r.advice + ")"
	}
	return whyUnreachable(err)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
