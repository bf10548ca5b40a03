package iiif

// Statuses an Error can carry. They are spelled out here because this
// package may not import net/http.
const (
	statusBadRequest = 400
	statusNotFound   = 404
)

// The codes of Error. They are part of the outside contract: clients may
// branch on them, so a code never changes its meaning.
const (
	CodePathUnknown        = "path_unknown"        // the path has no form the Image API knows (404)
	CodeIdentifierEmpty    = "identifier_empty"    // nothing stands where the identifier belongs (404)
	CodeIdentifierInvalid  = "identifier_invalid"  // control characters or broken UTF-8
	CodeEscapeInvalid      = "escape_invalid"      // a % without two hexadecimal digits
	CodeParametersMissing  = "parameters_missing"  // not exactly region/size/rotation/quality.format
	CodeNumberTooLarge     = "number_too_large"    // a number outside the range of the machine's integers
	CodeRegionInvalid      = "region_invalid"      // syntax
	CodeRegionEmpty        = "region_empty"        // zero width or height
	CodeRegionOutside      = "region_outside"      // entirely outside of the image
	CodeSizeInvalid        = "size_invalid"        // syntax
	CodeSizeZero           = "size_zero"           // a side of less than one pixel
	CodeSizeUpscales       = "size_upscales"       // larger than the region without being allowed to
	CodeSizeExceedsLimits  = "size_exceeds_limits" // above maxWidth, maxHeight or maxArea
	CodeRotationInvalid    = "rotation_invalid"    // syntax, or above 360
	CodeQualityUnsupported = "quality_unsupported" // not one of the four qualities
	CodeFormatUnsupported  = "format_unsupported"  // not a format of this package
)

// The values of Error.Parameter.
const (
	ParameterIdentifier = "identifier"
	ParameterRegion     = "region"
	ParameterSize       = "size"
	ParameterRotation   = "rotation"
	ParameterQuality    = "quality"
	ParameterFormat     = "format"
)

// Error tells why a request is not valid. Every error of Parse, ParseParams
// and Params.Resolve that is the client's doing is an *Error.
type Error struct {
	// Status is the HTTP status, 400 or 404.
	Status int
	// Code is one of the Code constants.
	Code string
	// Parameter is one of the Parameter constants, or empty where the whole
	// path is at fault.
	Parameter string
	// Reason is a sentence for the user. It holds no text of the request, so
	// it is safe in any document.
	Reason string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Parameter == "" {
		return e.Reason
	}
	return e.Parameter + ": " + e.Reason
}

func badRequest(code, parameter, reason string) *Error {
	return &Error{Status: statusBadRequest, Code: code, Parameter: parameter, Reason: reason}
}

func notFound(code, parameter, reason string) *Error {
	return &Error{Status: statusNotFound, Code: code, Parameter: parameter, Reason: reason}
}
