package iiif

// Feature is a feature name of info.json (Image API 3.0, 5.7 and 2.1, 5.3).
type Feature string

// The features that go beyond level 2 in 3.0; all but FeatureUpscaling bear
// the same name in 2.1.
const (
	FeatureCanonicalLink     Feature = "canonicalLinkHeader"
	FeatureMirroring         Feature = "mirroring"
	FeatureProfileLink       Feature = "profileLinkHeader"
	FeatureRotationArbitrary Feature = "rotationArbitrary"
	// FeatureUpscaling covers the sizes with ^. It needs limits to be
	// advertised (Image API 3.0, 5.3). In 2.1 it is named sizeAboveFull.
	FeatureUpscaling Feature = "sizeUpscaling"

	featureAboveFull Feature = "sizeAboveFull"
)

// supports2 lists what a 2.1 service does in any case. Level 2 implies most
// of it; it is spelled out for clients that read the list alone.
var supports2 = []Feature{
	"baseUriRedirect", "cors", "jsonldMediaType",
	"regionByPct", "regionByPx", "regionSquare", "rotationBy90s",
	"sizeByConfinedWh", "sizeByDistortedWh", "sizeByH", "sizeByPct", "sizeByW", "sizeByWh",
}
