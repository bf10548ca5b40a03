package decode

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// builtInProfiles are the names that libvips takes for profiles of its own
// (vips_profile_load).
var builtInProfiles = []string{"cmyk", "srgb", "p3", "none"}

// maxProfileBytes is more than any printer's profile has.
const maxProfileBytes = 64 << 20

// CheckProfile tells why the profile of CMYK sources without one cannot be
// used: libvips would fail each of them.
func (c *Config) CheckProfile() error {
	if c.DefaultCMYK == builtInProfiles[0] {
		return nil
	}
	if slices.Contains(builtInProfiles[1:], c.DefaultCMYK) {
		return fmt.Errorf("default-cmyk-profile: %s is no CMYK profile", c.DefaultCMYK)
	}
	if err := checkCMYKFile(c.DefaultCMYK); err != nil {
		return fmt.Errorf("default-cmyk-profile: %w", err)
	}
	return nil
}

func checkCMYKFile(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxProfileBytes {
		return fmt.Errorf("%s is no profile", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	var head [40]byte // ICC.1:2022, 7.2: the colour space stands at 16, the signature at 36.
	_, err = io.ReadFull(f, head[:])
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s is no profile: %w", name, err)
	}
	if string(head[36:40]) != "acsp" {
		return fmt.Errorf("%s is no ICC profile", name)
	}
	if space := string(head[16:20]); space != "CMYK" {
		return fmt.Errorf("%s is a profile of %q, not of CMYK", name, space)
	}
	return nil
}
