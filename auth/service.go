package auth

import (
	"errors"
	"maps"
)

// authContext is the JSON-LD context of the IIIF Authentication API 1.0.
const authContext = "http://iiif.io/api/auth/1/context.json"

// Service describes how a client gains access: the access cookie service of
// the IIIF Authentication API 1.0, section 2, with its token and logout
// services.
type Service struct {
	// CookieURL and TokenURL are required, LogoutURL may be "".
	CookieURL, TokenURL, LogoutURL string
	// Fields are further members of the cookie service, as the script gave
	// them: label, header, description, confirmLabel, failureHeader,
	// failureDescription and others.
	Fields map[string]string
}

// ErrNoService is returned where an interactive decision lacks its URLs.
var ErrNoService = errors.New("auth: cookieUrl and tokenUrl are required")

// NewService takes a service from the strings that a script gave beside the
// permission's type.
func NewService(values map[string]string) (*Service, error) {
	s := &Service{
		CookieURL: values["cookieUrl"],
		TokenURL:  values["tokenUrl"],
		LogoutURL: values["logoutUrl"],
		Fields:    maps.Clone(values),
	}
	for _, name := range []string{"cookieUrl", "tokenUrl", "logoutUrl", "type"} {
		delete(s.Fields, name)
	}
	if s.CookieURL == "" || s.TokenURL == "" {
		return nil, ErrNoService
	}
	return s, nil
}

// Block returns the value of "service" in info.json, ready to be encoded,
// for an image whose decision has this interactive kind.
func (s *Service) Block(kind Kind) map[string]any {
	block := make(map[string]any, len(s.Fields)+4)
	for k, v := range s.Fields {
		block[k] = v
	}
	inner := []any{map[string]any{
		"@id":     s.TokenURL,
		"profile": "http://iiif.io/api/auth/1/token",
	}}
	if s.LogoutURL != "" {
		logout := map[string]any{
			"@id":     s.LogoutURL,
			"profile": "http://iiif.io/api/auth/1/logout",
		}
		if label, ok := s.Fields["logoutLabel"]; ok {
			logout["label"] = label
			delete(block, "logoutLabel")
		}
		inner = append(inner, logout)
	}
	block["@context"] = authContext
	block["@id"] = s.CookieURL
	block["profile"] = "http://iiif.io/api/auth/1/" + string(kind)
	block["service"] = inner
	return block
}
