package testimages

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
)

// Broken is a damaged file.
type Broken struct {
	// Name says what was done, for a sub-test's name.
	Name string
	Data []byte
}

// Truncations returns a file cut off at 0 and 1 bytes, within its header,
// after each sixteenth of its length and before its last byte, shortest
// first. No reader may take one for whole, but for kinds that end in bytes
// that say nothing.
func Truncations(path string) ([]Broken, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lengths := []int{0, 1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512, len(data) - 1}
	for i := 1; i < 16; i++ {
		lengths = append(lengths, len(data)*i/16)
	}
	slices.Sort(lengths)
	var out []Broken
	for _, n := range slices.Compact(lengths) {
		if n >= 0 && n < len(data) {
			out = append(out, Broken{Name: fmt.Sprintf("cut at %d", n), Data: slices.Clone(data[:n])})
		}
	}
	return out, nil
}

// Flips returns n copies of a file, each with one to eight bits turned over,
// half of the copies within the first 512 bytes only, where headers lie. The
// same seed gives the same copies.
func Flips(path string, seed uint64, n int) ([]Broken, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("testimages: %s is empty", path)
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(data))))
	out := make([]Broken, 0, n)
	for i := range n {
		reach := len(data)
		if i%2 == 0 {
			reach = min(reach, 512)
		}
		bad := slices.Clone(data)
		// Distinct bits: a bit turned over twice would be whole again.
		for turned := map[int]bool{}; len(turned) < 1+i%8; {
			bit := random.IntN(8 * reach)
			if !turned[bit] {
				turned[bit] = true
				bad[bit/8] ^= 1 << (bit % 8)
			}
		}
		out = append(out, Broken{Name: fmt.Sprintf("flip %d of seed %d", i, seed), Data: bad})
	}
	return out, nil
}
