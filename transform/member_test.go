package transform

import (
	"testing"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

func TestObjectsHaveSortedKeysOnce(t *testing.T) {
	members := membersOf(jsontext.NewScanner(`{"b": 1, "a": {"z": [1, 2]}, "b": "2"}`).Value()).members
	if got, want := string(appendObject(nil, members)), `{"a":{"z": [1, 2]},"b":"2"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
