package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"sharetop/model"
)

func TestShareSupportIsToldApart(t *testing.T) {
	tests := []struct {
		name    string
		version *kversion.Versions
		support model.ShareSupport
		text    string
	}{
		{"3.9", kversion.V3_9_0(), model.ShareTooOld, "do not know share groups"},
		{"4.1, not enabled", kversion.V4_1_0(), model.ShareDisabled, "disabled"},
		{"4.2", kversion.V4_2_0(), model.ShareFull, ""},
		{"4.4", kversion.V4_4_0(), model.ShareFull, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := fakeCluster(t, kfake.MaxVersions(test.version))
			s := watch(t, c).until("the support", func(s *model.Snapshot) bool {
				return s.Cluster.ShareGroups != model.ShareUnknown && s.Cluster.ShareVersion.IsKnown()
			})
			if s.Cluster.ShareGroups != test.support {
				t.Errorf("support %d, version %v", s.Cluster.ShareGroups, s.Cluster.ShareVersion)
			}
			if p := problem(s, model.ProblemFeature, test.text); (p != nil) != (test.text != "") {
				t.Errorf("problem is %+v", p)
			}
		})
	}
}

func TestShareSupportOfAPreview(t *testing.T) {
	r := kmsg.NewPtrApiVersionsResponse()
	r.ApiKeys = []kmsg.ApiVersionsResponseApiKey{{ApiKey: 77, MaxVersion: 1}, {ApiKey: 90, MaxVersion: 0}}
	r.FinalizedFeatures = []kmsg.ApiVersionsResponseFinalizedFeature{{Name: "share.version", MaxVersionLevel: 1}}
	if level, support := shareSupport(r); support != model.SharePreview || level != model.Known(1) {
		t.Errorf("support %d, level %v", support, level)
	}
}
