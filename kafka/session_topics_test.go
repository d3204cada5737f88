package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"sharetop/model"
)

// quickHeartbeats makes assignments follow changes sooner than Kafka's 5 s.
func quickHeartbeats() kfake.Opt {
	return kfake.BrokerConfigs(map[string]string{"group.share.heartbeat.interval.ms": "200"})
}

// A topic that is made again has the same name and another id, and offsets that
// mean other records.
func TestATopicThatIsMadeAgainIsAnotherOne(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1), quickHeartbeats())
	c.SetGroupConfigs("billing", map[string]string{"share.auto.offset.reset": "earliest"})
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", &logbook{}, "orders")
	adm := kadm.NewClient(plainClient(t, c))
	// Names are looked up in a map, so once might be luck.
	for range 4 {
		produce(t, c, "orders", 1)
		records := take(t, s, 10)
		if got := decide(t, s, model.Accept, records...); len(records) > 0 {
			wantOutcome(t, got, len(records), model.OutcomeDone)
		}
		if _, err := adm.DeleteTopics(t.Context(), "orders"); err != nil {
			t.Fatal(err)
		}
		if _, err := adm.CreateTopic(t.Context(), 3, 1, nil, "orders"); err != nil {
			t.Fatal(err)
		}
	}
}
