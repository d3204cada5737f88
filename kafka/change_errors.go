package kafka

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"

	"sharetop/model"
)

// changeTrouble says why a broker refused to change a group; what is what was
// to be done, e.g. "reset".
func changeTrouble(what, group string, code int16, message string) model.Problem {
	name := safeText(group)
	p := model.Problem{Kind: model.ProblemOther, Target: target("group", group)}
	p.Detail = fmt.Sprintf("%s was not %s: %s.", name, past(what), codeText(code, message))
	switch code {
	case kerr.NonEmptyGroup.Code:
		p.Detail = fmt.Sprintf("%s was not %s: it has got a member in the meantime.", name, past(what))
		p.Advice = "stop its members; one that was killed stays in the group for up to 45 s"
	case kerr.GroupAuthorizationFailed.Code:
		p.Kind = model.ProblemDenied
		operation := "READ"
		if what == "delete" {
			operation = "DELETE"
		}
		p.Detail = fmt.Sprintf("%s was not %s: %s on the group is missing.", name, past(what), operation)
		p.Advice = aclCommand(operation, "group", name)
	case kerr.UnknownTopicOrPartition.Code:
		p.Kind = model.ProblemGone
		p.Detail = fmt.Sprintf("%s has no offsets of this topic, or there is no such topic: %s.", name, codeText(code, message))
	case kerr.TopicAuthorizationFailed.Code:
		p.Kind = model.ProblemDenied
		p.Advice = "grant READ on the topics"
	case kerr.CoordinatorLoadInProgress.Code, kerr.CoordinatorNotAvailable.Code, kerr.NotCoordinator.Code:
		p.Kind = model.ProblemLoading
		p.Detail = fmt.Sprintf("%s was not %s: its coordinator is loading or moving.", name, past(what))
		p.Advice = "try again in a moment"
	case kerr.GroupIDNotFound.Code:
		p.Kind = model.ProblemGone
		p.Advice = "it is gone, or it is a group of another type"
	case kerr.UnsupportedVersion.Code:
		p.Kind = model.ProblemFeature
		p.Advice = adviceEnable
	}
	return p
}

func past(what string) string {
	if what == "reset" {
		return what
	}
	return what + "d"
}

// partitionAdvice is what would fix an error of one partition; empty when only
// the error itself tells.
func partitionAdvice(code int16, topic string) string {
	switch code {
	case kerr.UnknownTopicOrPartition.Code, kerr.UnknownTopicID.Code:
		return "the topic or partition was deleted: make a new plan"
	case kerr.TopicAuthorizationFailed.Code:
		return aclCommand("READ", "topic", topic)
	case kerr.NonEmptyGroup.Code:
		return "stop the group's members"
	case kerr.CoordinatorLoadInProgress.Code, kerr.CoordinatorNotAvailable.Code, kerr.NotCoordinator.Code,
		kerr.NotLeaderForPartition.Code, kerr.LeaderNotAvailable.Code, kerr.RequestTimedOut.Code:
		return "try again in a moment"
	default:
		return ""
	}
}
