package topics_test

import (
	"testing"

	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/engine/topics/kafkatest"
)

func TestBrokerStarts(t *testing.T) {
	b := kafkatest.Start(t)
	c, err := topics.Open(t.Context(), topics.Bus{Brokers: []string{b.Plain}})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
