package admission

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// recorded reads arrivals that tests/storm has recorded. Work that was refused has
// no time of its own and takes what its like took.
func recorded(t *testing.T, file string) []arrival {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var out []arrival
	last := time.Duration(0)
	took := make(map[int64][]time.Duration)
	for _, row := range rows[1:] {
		at, service := time.Duration(number(row[0]))*time.Millisecond, time.Duration(number(row[5]))*time.Millisecond
		a := arrival{after: at - last, service: service, ask: Ask{
			Key: row[1], URL: Lane(row[2]), Peak: int64(number(row[3])), Seconds: number(row[4]),
		}}
		last = at
		if service > 0 {
			took[a.ask.Peak] = append(took[a.ask.Peak], service)
		}
		out = append(out, a)
	}
	for i := range out {
		if like := took[out[i].ask.Peak]; out[i].service == 0 && len(like) > 0 {
			slices.Sort(like)
			out[i].service = like[len(like)/2]
		}
	}
	return out
}

// sheds counts the refusals of a load for each lane, apart from those that no
// waiting could help.
func sheds(t *testing.T, load []arrival, change func(*Config, *Facts)) (shed, predicted map[Lane]int) {
	t.Helper()
	shed = make(map[Lane]int)
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config, f *Facts) {
			c.Threads, f.CPUs = 2, 2
			f.Memory.CgroupLimit, f.IdleFloor, f.GoIdle = 512*mib, 50*mib, 10*mib // As in testdata.
			change(c, f)
		})
		results := make([]error, len(load))
		for i, a := range load {
			time.Sleep(a.after)
			go func() {
				l, err := r.Acquire(t.Context(), a.ask)
				results[i] = err
				if err == nil {
					time.Sleep(a.service)
					l.Release()
				}
			}()
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		for i, err := range results {
			if refused, ok := errors.AsType[*Rejection](err); ok && refused.Code.Kind() != KindNever {
				shed[load[i].ask.URL]++
			}
		}
		s := r.Snapshot()
		predicted = map[Lane]int{LaneFull: int(s.FullShadowRejectTotal), LaneTile: int(s.TileShadowRejectTotal)}
		r.idle()
	})
	return shed, predicted
}

// TestRecordedStorm: on a storm's recorded arrivals, what basic mode counts
// is what advanced mode sheds, within 5 percent or 5 requests, for each
// partition. Played faster, or with less patience, fulls are still foreseen;
// tiles only as long as basic mode runs most of them, for the time that work
// takes which was never run is a guess.
func TestRecordedStorm(t *testing.T) {
	t.Parallel()
	load := recorded(t, "testdata/storm.csv")
	for _, c := range []struct {
		name    string
		timeout time.Duration
		faster  time.Duration
		lanes   []Lane
	}{
		{"as recorded", 10 * time.Second, 1, []Lane{LaneFull, LaneTile}},
		{"impatient", 3 * time.Second, 1, []Lane{LaneFull, LaneTile}},
		{"twice as fast", 10 * time.Second, 2, []Lane{LaneFull, LaneTile}},
		{"four times as fast", 10 * time.Second, 4, []Lane{LaneFull}},
	} {
		arrivals := slices.Clone(load)
		for i := range arrivals {
			arrivals[i].after /= c.faster
		}
		advanced, _ := sheds(t, arrivals, func(cfg *Config, _ *Facts) { cfg.Mode, cfg.QueueTimeoutFull = ModeAdvanced, c.timeout })
		_, predicted := sheds(t, arrivals, func(cfg *Config, _ *Facts) { cfg.Mode, cfg.QueueTimeoutFull = ModeBasic, c.timeout })
		t.Logf("%s: %d arrivals; advanced sheds %v, basic predicts %v", c.name, len(load), advanced, predicted)
		for _, lane := range c.lanes {
			if got := predicted[lane]; !foreseen(got, advanced[lane]) {
				t.Errorf("%s, %s: advanced sheds %d, basic counts %d", c.name, lane, advanced[lane], got)
			}
		}
	}
}

// TestReplay is TestRecordedStorm for the storm that tests/storm has just
// recorded: the file, the memory limit of its server and this machine's
// threads. Without one it has nothing to do.
func TestReplay(t *testing.T) {
	file := os.Getenv("STORM_ARRIVALS")
	if file == "" {
		t.Skip("tests/storm names the arrivals in STORM_ARRIVALS")
	}
	var limit int64
	var unit string
	if n, err := fmt.Sscanf(os.Getenv("STORM_LIMIT"), "%d%s", &limit, &unit); n != 2 || err != nil {
		t.Fatal(err)
	}
	limit *= map[string]int64{"Mi": mib, "Gi": gib}[unit]
	load := recorded(t, file)
	in := func(mode string) func(*Config, *Facts) {
		return func(c *Config, f *Facts) {
			c.Mode, f.Memory.CgroupLimit = mode, limit
			c.Threads, f.CPUs = 0, runtime.NumCPU()
		}
	}
	advanced, _ := sheds(t, load, in(ModeAdvanced))
	_, predicted := sheds(t, load, in(ModeBasic))
	for _, lane := range []Lane{LaneTile, LaneFull} {
		t.Logf("replay: of %d arrivals advanced sheds %d in %s, basic foresees %d", len(load), advanced[lane], lane, predicted[lane])
		if !foreseen(predicted[lane], advanced[lane]) {
			t.Errorf("%s: advanced sheds %d, basic counts %d", lane, advanced[lane], predicted[lane])
		}
	}
}

// foreseen tells that a prediction is within 5 percent or 5 requests.
func foreseen(predicted, shed int) bool {
	diff := predicted - shed
	return max(diff, -diff) <= max(5, shed/20)
}
