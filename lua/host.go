package lua

import (
	"context"
	"errors"
	"io"
)

// ErrSkipped is returned by Host.Render where admission refuses the image's
// price. Scripts see false, "admission_skipped".
var ErrSkipped = errors.New("admission_skipped")

// StepKind is what a step does to an image.
type StepKind string

// The steps, in the vocabulary of the Image API 3.0.
const (
	StepRegion    StepKind = "region"    // Value is a region parameter
	StepSize      StepKind = "size"      // Value is a size parameter
	StepRotate    StepKind = "rotate"    // Mirror, then Angle degrees clockwise
	StepUpright   StepKind = "upright"   // apply the EXIF orientation
	StepWatermark StepKind = "watermark" // Value is the path of an image laid over
)

// Step is one recorded operation on an image.
type Step struct {
	Kind   StepKind
	Value  string  `json:",omitempty"`
	Angle  float64 `json:",omitempty"`
	Mirror bool    `json:",omitempty"`
}

// ImageSource is an image file with the steps applied to it, in order. Path
// is absolute, without symbolic links, and below a permitted directory or an
// upload of the request.
type ImageSource struct {
	Path  string
	Steps []Step
}

// ImageFacts describes an image after its steps.
type ImageFacts struct {
	Width, Height int // pixels
	// Orientation is the EXIF value that still applies, 1 to 8.
	Orientation int
	Format      string // the source's format: "tif", "jpg", …
	Pages       int
}

// ImageOutput is how an image is encoded.
type ImageOutput struct {
	// Format is jpg, tif, png, jp2, webp, gif or avif.
	Format string
	// Params are the encoder parameters that the script gave, by SIPI's
	// names: Sprofile, Clayers, quality, … They have been checked; a host
	// may ignore those its encoders do not have. "pyramid" = "yes" asks for
	// a pyramidal tiled TIFF.
	Params map[string]string
}

// Estimate is the price of a request.
type Estimate struct {
	PeakBytes int64  `json:"peak_bytes"`
	Lane      string `json:"lane"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
}

// Host is what scripts need of the server. Methods are called from several
// goroutines at once, for one script one after the other, and must end soon
// after ctx does. ctx is the one given to Runtime's method or derived from
// it, so that a lease travels with it.
//
// The text of an error reaches the script: it must not name what the script
// does not know already, such as library messages.
type Host interface {
	// Describe reads the file's header and works out the effect of the
	// steps. It decodes nothing.
	Describe(ctx context.Context, src ImageSource) (ImageFacts, error)
	// Render composes the steps into one plan, charges its price to the
	// lease in ctx without waiting, and writes the encoded image to w. Where
	// the price is refused it returns an error that wraps ErrSkipped and
	// writes nothing. w is an *os.File, open for reading and writing, where
	// the script writes to a file.
	Render(ctx context.Context, src ImageSource, out ImageOutput, w io.Writer) error
	// Estimate prices "region/size/rotation/quality.format" of a file.
	Estimate(ctx context.Context, path, request string) (Estimate, error)
	// Admission returns the snapshot of admission as package json writes it.
	Admission(ctx context.Context) (any, error)
	// Purge removes the derivatives of an identifier and returns how many
	// there were.
	Purge(ctx context.Context, identifier string) (int, error)
}

// The operations that a worker asks for.
const (
	opLog       = "log"
	opDescribe  = "image.describe"
	opWrite     = "image.write"
	opSend      = "image.send"
	opEstimate  = "estimate"
	opAdmission = "admission"
	opPurge     = "purge"
)

// imageMessage is the argument of the image operations. Path is where to
// write; Head is the response's head as the script has set it, nil once it
// was sent.
type imageMessage struct {
	Source ImageSource
	Output ImageOutput
	Path   string       `json:",omitempty"`
	Head   *headMessage `json:",omitempty"`
}

// estimateMessage is the argument of the operation "estimate".
type estimateMessage struct{ Path, Request string }
