package admission

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSnapshotForm: the names that operators' tools read.
func TestSnapshotForm(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	l := r.must(full("k_0"))
	defer l.Release()
	data, err := json.Marshal(r.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(`
version mode budget.limit_bytes budget.in_use_bytes budget.source budget.headroom_bytes budget.headroom_in_use_bytes
budget.ingest_limit_bytes budget.ingest_in_use_bytes budget.egress_in_use_bytes
threads.total threads.in_use threads.tile_min threads.full_max threads.full_in_use threads.full_cap_set
queue.tile_waiting queue.full_waiting queue.bytes queue.held_bytes queue.max queue.keys
shed_total shed_by_code full_shadow_rejected_total
pressure.severity pressure.reason pressure.since_ms pressure.sampled_age_ms pressure.signals
quota.source quota.clients
adaptive.mode adaptive.limit adaptive.min adaptive.max adaptive.utilization adaptive.gradient
adaptive.would_admit adaptive.would_queue adaptive.would_reject
adaptive.virtual_lanes adaptive.lane_count adaptive.lane_waiting adaptive.lane_bytes adaptive.lanes
memory.resident_bytes memory.charged_bytes memory.idle_bytes memory.full_bytes
fanout.admitted fanout.skipped fanout.errors
books.envelope_bytes books.source books.usable_bytes books.idle_floor_bytes books.memory_cache_bytes books.egress_bytes
books.ingest_bytes books.scripts_bytes books.script_slots books.tile_reserve_bytes books.full_budget_bytes books.go_memory_limit_bytes`) {
		at := got
		for name := range strings.SplitSeq(path, ".") {
			object, _ := at.(map[string]any)
			value, ok := object[name]
			if !ok || value == nil {
				t.Errorf("%s is missing or null", path)
			}
			at = value
		}
	}
	if s := r.Snapshot(); s.Threads.FullInUse != 1 || s.Budget.InUseBytes != 64*mib || s.Budget.Source != SourceCgroupV2 {
		t.Errorf("%+v", s)
	}
}

// TestDecisionsExplain: the ring tells both verdicts, the price, the wait and
// what became of it, newest first, and keeps no more than it should.
func TestDecisionsExplain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.must(Ask{URL: LaneTile, Peak: 40 * mib, Key: "k_1", Label: "/iiif/3"}).Release()
	r.refused(t.Context(), Ask{URL: LaneFull, Peak: 100 * gib, Key: "k_2"})
	d := r.Decisions()
	if len(d) != 2 || d[0].Verdict != string(CodeExceedsBudget) || d[0].Bytes != 100*gib || d[0].Key != "k_2" {
		t.Fatalf("%+v", d)
	}
	if d[1].Verdict != "admitted" || d[1].URL != LaneTile || d[1].Engine != LaneFull || d[1].Lane != LaneFull || d[1].Label != "/iiif/3" || d[1].Time.IsZero() {
		t.Errorf("%+v", d[1])
	}
	for range 2 * ringSize {
		r.must(tile("k_3")).Release()
	}
	if d := r.Decisions(); len(d) != ringSize || d[0].Key != "k_3" || d[ringSize-1].Key != "k_3" {
		t.Errorf("%d decisions", len(d))
	}
	r.idle()
}
