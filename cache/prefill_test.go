package cache

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestPrefill(t *testing.T) {
	for name, size := range map[string]int{"small": 50_000, "large": 2 * AnswerBytes} {
		t.Run(name, func(t *testing.T) {
			c := open(t, Config{Dir: t.TempDir()})
			k := key(1)
			if made, err := c.Prefill(t.Context(), k, nil, writes(k, size)); !made || err != nil {
				t.Fatal(made, err)
			}
			rd, outcome, err := c.Do(t.Context(), k, Options{}, never(t))
			if err != nil || outcome == Filled {
				t.Fatal(outcome, err)
			}
			wantAnswer(t, rd, k, size)
			if made, err := c.Prefill(t.Context(), k, nil, never(t)); made || err != nil {
				t.Errorf("made again: %t, %v", made, err)
			}
		})
	}
}

// TestPrefillStandsBack: where somebody waits for the answer, or nothing
// would keep it, there is nothing to do.
func TestPrefillStandsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nowhere := open(t, Config{Dir: Off})
		nowhere.SetMemoryBytes(0)
		if made, err := nowhere.Prefill(t.Context(), key(1), nil, never(t)); made || err != nil {
			t.Errorf("kept nowhere: %t, %v", made, err)
		}
		c := open(t, Config{Dir: Off, MemoryBytes: 1 << 20})
		release := make(chan struct{})
		k := key(2)
		done := make(chan *Reader)
		go func() {
			rd, _, err := c.Do(context.Background(), k, Options{}, func(ctx context.Context, w *Writer) error {
				<-release
				return writes(k, 1000)(ctx, w)
			})
			if err != nil {
				t.Error(err)
			}
			done <- rd
		}()
		synctest.Wait()
		if made, err := c.Prefill(t.Context(), k, nil, never(t)); made || err != nil {
			t.Errorf("beside a flight: %t, %v", made, err)
		}
		close(release)
		wantAnswer(t, <-done, k, 1000)
	})
}

// TestPrefillIsJoined: whoever asks meanwhile joins, and is not refused with
// what is only the prefill's own.
func TestPrefillIsJoined(t *testing.T) {
	for name, fails := range map[string]bool{"whole": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, Config{Dir: Off, MemoryBytes: 1 << 20})
				k := key(1)
				release := make(chan struct{})
				first := make(chan error)
				go func() {
					_, err := c.Prefill(context.Background(), k, nil, func(ctx context.Context, w *Writer) error {
						<-release
						if fails {
							return refusal{}
						}
						return writes(k, 1000)(ctx, w)
					})
					first <- err
				}()
				synctest.Wait()
				second := make(chan Outcome)
				go func() {
					rd, outcome, err := c.Do(context.Background(), k, Options{}, writes(k, 1000))
					if err != nil {
						t.Error(err)
					} else {
						wantAnswer(t, rd, k, 1000)
					}
					second <- outcome
				}()
				synctest.Wait()
				close(release)
				if err := <-first; errors.Is(err, refusal{}) != fails {
					t.Error(err)
				}
				if outcome := <-second; (outcome == Filled) != fails {
					t.Errorf("outcome %v", outcome)
				}
			})
		})
	}
}

// TestPrefillEndsWithItsContext: nothing goes on that nobody waits for.
func TestPrefillEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Config{Dir: Off, MemoryBytes: 1 << 20})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			synctest.Wait()
			cancel()
		}()
		made, err := c.Prefill(ctx, key(1), nil, func(ctx context.Context, _ *Writer) error {
			defer close(ended)
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if made || !errors.Is(err, context.Canceled) {
			t.Error(made, err)
		}
		<-ended
	})
}
