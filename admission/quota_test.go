package admission

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

const goodQuota = `{"requests_per_window":5,"window_seconds":60,"client_active":4,"client_pending":2,
 "global_active":100,"global_executing":8,
 "clients":{"alpha":{"requests_per_window":3,"window_seconds":10,"active":3,"pending":1}}}`

// withQuota writes a quota file and two API keys, alpha and beta.
func withQuota(t *testing.T, quota string) func(*Config, *Facts) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keys := write("keys", "alpha "+strings.Repeat("a", 64)+"\nbeta "+strings.Repeat("b", 64)+"\n")
	file := write("quota.json", quota)
	return func(c *Config, _ *Facts) { c.APIKeysFile, c.QuotaFile = keys, file }
}

func by(identity string) Ask {
	return Ask{URL: LaneTile, Peak: 2 * mib, Key: "k_" + identity, Identity: identity}
}

func TestQuotaFile(t *testing.T) {
	t.Parallel()
	f, err := parseQuotaFile([]byte(goodQuota), []string{"alpha"}, 8)
	if err != nil {
		t.Fatal(err)
	}
	if f.defaults != (clientLimits{5, time.Minute, 4, 2}) || f.clients["alpha"] != (clientLimits{3, 10 * time.Second, 3, 1}) ||
		f.globalActive != 100 || f.globalExecuting != 8 {
		t.Errorf("%+v", f)
	}
	replace := func(old, with string) string {
		if !strings.Contains(goodQuota, old) {
			t.Fatalf("%q is not in the file", old)
		}
		return strings.Replace(goodQuota, old, with, 1)
	}
	for name, c := range map[string]struct{ file, place string }{
		"empty object":        {`{}`, "/requests_per_window"},
		"only clients":        {`{"clients":{}}`, "/window_seconds"},
		"null":                {`null`, "not a JSON object"},
		"empty":               {``, "ends within"},
		"array":               {`[]`, "not a JSON object"},
		"null value":          {replace(`:60`, `:null`), "/window_seconds"},
		"null clients":        {replace(`{"alpha"`, `null,"x":{"alpha"`), "/clients"},
		"null client":         {replace(`"clients":{"alpha":{"requests_per_window":3,"window_seconds":10,"active":3,"pending":1}}`, `"clients":{"alpha":null}`), "/clients/alpha"},
		"missing":             {replace(`"client_active":4,`, ``), "/client_active"},
		"missing in client":   {replace(`,"pending":1`, ``), "/clients/alpha/pending"},
		"missing clients":     {`{"requests_per_window":5,"window_seconds":60,"client_active":4,"client_pending":2,"global_active":100,"global_executing":8}`, "/clients"},
		"unknown":             {replace(`"global_active"`, `"extra":1,"global_active"`), "/extra"},
		"unknown object":      {replace(`"clients"`, `"extra":{},"clients"`), "/extra"},
		"unknown in client":   {replace(`"active":3`, `"active":3,"burst":1`), "/clients/alpha/burst"},
		"duplicate":           {replace(`"global_active":100`, `"global_active":100,"global_active":99`), "/global_active"},
		"duplicate client":    {replace(`"clients":{`, `"clients":{"alpha":{},`), "/clients/alpha"},
		"escaped duplicate":   {replace(`"global_active":100`, `"global_active":100,"global_\u0061ctive":99`), "/global_active"},
		"wrong case":          {replace(`"requests_per_window":5`, `"requests_per_window":5,"Requests_Per_Window":9999`), "/Requests_Per_Window"},
		"wrong case alone":    {replace(`"requests_per_window":5`, `"Requests_Per_Window":5`), "/requests_per_window"},
		"fraction":            {replace(`:60`, `:60.0`), "/window_seconds"},
		"exponent":            {replace(`:60`, `:6e1`), "/window_seconds"},
		"negative":            {replace(`:60`, `:-60`), "/window_seconds"},
		"zero":                {replace(`:60`, `:0`), "/window_seconds"},
		"minus zero":          {replace(`:60`, `:-0`), "/window_seconds"},
		"string":              {replace(`:60`, `:"60"`), "/window_seconds"},
		"boolean":             {replace(`:60`, `:true`), "/window_seconds"},
		"array value":         {replace(`:60`, `:[60]`), "/window_seconds"},
		"window overflow":     {replace(`:60`, `:18446744074`), "/window_seconds"},
		"window beyond a day": {replace(`:60`, `:86401`), "/window_seconds"},
		"beyond int64":        {replace(`:60`, `:99999999999999999999`), "/window_seconds"},
		"too many":            {replace(`"global_active":100`, `"global_active":1000000001`), "/global_active"},
		"log too long":        {replace(`"requests_per_window":5`, `"requests_per_window":100001`), "/requests_per_window"},
		"pending > active":    {replace(`"client_pending":2`, `"client_pending":5`), "/client_pending"},
		"client pending":      {replace(`"pending":1`, `"pending":4`), "/clients/alpha/pending"},
		"active > global":     {replace(`"client_active":4`, `"client_active":101`), "/client_active"},
		"client active":       {replace(`"active":3`, `"active":101`), "/clients/alpha/active"},
		"executing > active":  {replace(`"global_active":100`, `"global_active":7`), "/global_executing"},
		"executing > threads": {replace(`"global_executing":8`, `"global_executing":9`), "/global_executing"},
		"unknown client":      {replace(`"alpha"`, `"alhpa"`), "/clients/alhpa"},
		"anonymous log":       {replace(`"alpha":{"requests_per_window":3`, `"anonymous":{"requests_per_window":10001`), "/clients/anonymous/requests_per_window"},
		"trailing bytes":      {goodQuota + "x", "behind"},
		"second object":       {goodQuota + "{}", "behind"},
		"trailing comma":      {replace(`"pending":1}`, `"pending":1,}`), "not valid JSON"},
		"byte order mark":     {"\xef\xbb\xbf" + goodQuota, "byte order mark"},
		"not UTF-8":           {replace(`"alpha"`, "\"\xff\""), "UTF-8"},
		"truncated":           {goodQuota[:len(goodQuota)-1], "ends within"},
		"comment":             {"// x\n" + goodQuota, "not valid JSON"},
		"too deep":            {replace(`"active":3`, `"active":{"a":{"b":1}}`), "wrong kind"},
	} {
		_, err := parseQuotaFile([]byte(c.file), []string{"alpha"}, 8)
		if err == nil || !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: error %v, want one about %s", name, err, c.place)
		}
	}
}

func TestQuotaErrorsNeverQuoteValues(t *testing.T) {
	t.Parallel()
	secret := "s3cret"
	for _, file := range []string{
		strings.Replace(goodQuota, `:60`, `:"`+secret+`"`, 1), strings.Replace(goodQuota, `:60`, `:`+secret, 1), goodQuota + secret,
	} {
		if _, err := parseQuotaFile([]byte(file), []string{"alpha"}, 8); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("error %v", err)
		}
	}
}

func TestQuotaFileOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "quota.json")
	pad := func(n int) []byte { return []byte(goodQuota + strings.Repeat(" ", n-len(goodQuota))) }
	load := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := loadQuotaFile(path, []string{"alpha"}, 8)
		return err
	}
	if err := load(pad(maxQuotaFile)); err != nil {
		t.Errorf("64 KiB: %v", err)
	}
	if err := load(pad(maxQuotaFile + 1)); err == nil {
		t.Error("64 KiB and one byte passes")
	}
	link := filepath.Join(dir, "link")
	if err := load([]byte(goodQuota)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := loadQuotaFile(link, []string{"alpha"}, 8); err != nil {
		t.Errorf("a symbolic link: %v", err)
	}
	if _, err := loadQuotaFile(dir, nil, 8); err == nil {
		t.Error("a directory passes")
	}
	for _, bad := range []string{"quota.json", dir + "/./quota.json", dir + "//quota.json", dir + "/x/../quota.json"} {
		cfg := defaults()
		cfg.QuotaFile = bad
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "admission-config") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzParseQuotaFile(f *testing.F) {
	f.Add([]byte(goodQuota))
	f.Add([]byte(`{"requests_per_window":5}`))
	f.Add([]byte(`{"a":{"a":{"a":{}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := parseQuotaFile(data, []string{"alpha"}, 8)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Error("what is accepted is no JSON")
		}
		for name, l := range q.clients {
			if l.requests < 1 || l.window < time.Second || l.window > day || l.pending > l.active || l.active > q.globalActive {
				t.Errorf("%s: %+v", name, l)
			}
		}
		if q.globalExecuting < 1 || q.globalExecuting > 8 || q.defaults.requests < 1 {
			t.Errorf("%+v", q)
		}
	})
}

// TestWindowIsExact: never more than N grants within any interval of the
// window, and a client that comes back after Retry-After gets its grant.
func TestWindowIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		w := window{span: time.Second, limit: limit}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		var now time.Duration
		var grants []time.Duration
		for range 1000 {
			now += time.Duration(r.Int64N(int64(40 * time.Millisecond)))
			if w.used(now) >= limit {
				free := w.free(now)
				if free <= 0 || free > w.span {
					t.Fatalf("free after %v", free)
				}
				if w.used(now+free-1) < limit {
					t.Fatal("there is room before the time that was told")
				}
				if now += free; w.used(now) >= limit {
					t.Fatal("there is no room at the time that was told")
				}
			}
			w.add(now)
			grants = append(grants, now)
			if n := len(grants); n > limit && now-grants[n-1-limit] < w.span {
				t.Fatalf("%d grants within %v", limit+1, now-grants[n-1-limit])
			}
		}
	})
}

func TestQuotaLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, withQuota(t, goodQuota))
		for range 3 {
			r.must(by("alpha")).Release()
			time.Sleep(time.Second)
		}
		got := r.refused(t.Context(), by("alpha"))
		if got.Code != CodeClientRate || got.RetryAfter != 7*time.Second || got.Code.Kind() != KindQuota {
			t.Errorf("%+v", got)
		}
		for range 5 {
			r.must(by("beta")).Release() // the top level's values
		}
		if got := r.refused(t.Context(), by("beta")); got.Code != CodeClientRate || got.RetryAfter != time.Minute {
			t.Errorf("%+v", got)
		}
		for range 20 {
			r.must(by("")).Release() // anonymous is not listed
		}
		time.Sleep(7 * time.Second)
		r.must(by("alpha")).Release()
		r.idle()
	})
}

func TestActiveAndPendingLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, withQuota(t, strings.Replace(goodQuota, `"requests_per_window":3`, `"requests_per_window":100`, 1)))
		a := full("k_alpha")
		a.Identity = "alpha"
		held := []*Lease{r.must(a), r.must(a), r.must(a)}
		if got := r.refused(t.Context(), a); got.Code != CodeClientActive {
			t.Errorf("%+v", got)
		}
		held[0].Release()
		held[1].Release()
		for range 3 {
			held = append(held, r.must(full("x")))
		}
		waiting := r.begin(t.Context(), a)
		synctest.Wait()
		if got := r.refused(t.Context(), a); got.Code != CodeClientPending {
			t.Errorf("%+v", got)
		}
		for _, l := range held {
			l.Release()
		}
		(<-waiting).lease.Release()
		r.idle()
	})
}

// TestRefusalsCostNothing: whatever refuses or ends a wait, the quota is what
// it was.
func TestRefusalsCostNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		quota := strings.Replace(goodQuota, `"requests_per_window":3`, `"requests_per_window":2`, 1)
		r := newRig(t, withQuota(t, quota))
		a := full("k_alpha")
		a.Identity = "alpha"
		var held []*Lease
		for range 4 {
			held = append(held, r.must(full("x")))
		}
		for range 5 {
			if got := <-r.begin(t.Context(), a); got.code() != CodeQueueTimeout {
				t.Errorf("%+v", got)
			}
		}
		big := a
		big.Peak = 100 * gib
		if got := r.refused(t.Context(), big); got.Code != CodeExceedsBudget {
			t.Errorf("%+v", got)
		}
		for _, c := range r.Snapshot().Quota.Clients {
			if c.WindowUsed != 0 || c.Active != 0 || c.Pending != 0 {
				t.Errorf("%+v", c)
			}
		}
		for _, l := range held {
			l.Release()
		}
		r.must(a).Release()
		r.must(a).Release()
		if got := r.refused(t.Context(), a); got.Code != CodeClientRate {
			t.Errorf("%+v", got)
		}
		r.idle()
	})
}

// TestWaitersReserveTheirGrants: what waits and what was granted are together
// never more than the window allows.
func TestWaitersReserveTheirGrants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		quota := strings.Replace(goodQuota, `"requests_per_window":3,"window_seconds":10,"active":3,"pending":1`,
			`"requests_per_window":2,"window_seconds":10,"active":10,"pending":10`, 1)
		r := newRig(t, withQuota(t, quota))
		var held []*Lease
		for range 4 {
			held = append(held, r.must(full("x")))
		}
		a := full("k_alpha")
		a.Identity = "alpha"
		waiting := []<-chan outcome{r.begin(t.Context(), a), r.begin(t.Context(), a)}
		synctest.Wait()
		if got := r.refused(t.Context(), a); got.Code != CodeClientRate {
			t.Errorf("%+v", got)
		}
		settle(held, waiting)
		r.idle()
	})
}

func TestAnonymousIsLimitedByPrefixWhereListed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, withQuota(t, strings.Replace(goodQuota, `"alpha"`, `"anonymous"`, 1)))
		from := func(key string) Ask { return Ask{URL: LaneTile, Peak: mib, Key: key} }
		for i := range maxPrefixes {
			r.must(from(fmt.Sprint("p", i))).Release()
		}
		for range 2 {
			r.must(from("p0")).Release()
		}
		if got := r.refused(t.Context(), from("p0")); got.Code != CodeClientRate {
			t.Errorf("%+v", got)
		}
		for i := range 3 {
			r.must(from(fmt.Sprint("beyond", i))).Release()
		}
		if got := r.refused(t.Context(), from("yet another")); got.Code != CodeClientRate {
			t.Errorf("those beyond share one bucket: %+v", got)
		}
		time.Sleep(10 * time.Second)
		r.must(from("yet another")).Release()
		r.mu.Lock()
		n := len(r.quotas.byPrefix)
		r.mu.Unlock()
		if n > maxPrefixes {
			t.Errorf("%d prefixes are tracked", n)
		}
		r.idle()
	})
}

// TestReplaysAreFree: only grants count, so what needs none (a cache hit, a
// 304, a joined decode) never uses the quota up, however often it is counted.
func TestReplaysAreFree(t *testing.T) {
	t.Parallel()
	quota := strings.Replace(goodQuota, `"requests_per_window":3`, `"requests_per_window":1`, 1)
	r := newRig(t, withQuota(t, quota))
	for range 1000 {
		for _, kind := range []string{ReplayCache, ReplayNotModified, ReplayJoined, "bogus"} {
			r.Replayed(kind)
		}
	}
	r.must(by("alpha")).Release()
	r.idle()
}

func TestGlobalExecutingLowersThePermits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		change := withQuota(t, strings.Replace(goodQuota, `"global_executing":8`, `"global_executing":2`, 1))
		r := newRig(t, func(c *Config, f *Facts) {
			change(c, f)
			c.QueueTimeoutTile = 0
		})
		if got := r.Snapshot().Threads; got.Total != 2 || got.TileMin != 1 || got.FullMax != 1 {
			t.Errorf("%+v", got)
		}
		held := []*Lease{r.must(tile("a")), r.must(tile("a"))}
		if got := r.refused(t.Context(), tile("b")); got.Code != CodeGlobalExecuting || got.Code.Kind() != KindServer {
			t.Errorf("%+v", got)
		}
		for _, l := range held {
			l.Release()
		}
		r.idle()
	})
}
