package lua

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// BodyLimits bound what ReadRequest takes.
type BodyLimits struct {
	// Max is the largest body in bytes, files included.
	Max int64
	// Content is the largest body that is no form, and the largest sum of a
	// form's fields, in bytes: scripts hold these in memory.
	Content int64
	// TempDir is where files are stored.
	TempDir string
}

// maxParts bounds the fields and files of a form.
const maxParts = 1000

// ErrForm is returned for a form that cannot be read: 400.
var ErrForm = errors.New("lua: malformed form")

// ReadRequest reads a request with its body. Files of a multipart form are
// stored in TempDir as they come; cleanup, never nil, removes them and must
// be called after the script. A body that is too large gives an
// *http.MaxBytesError (413), a broken form ErrForm (400). Deadlines are those
// of the connection. Host, ClientIP and Secure are as the connection has
// them; a server behind a proxy sets them anew.
func ReadRequest(r *http.Request, limits BodyLimits) (req *Request, cleanup func(), err error) {
	req = &Request{
		Method: r.Method, URI: r.URL.EscapedPath(), Host: r.Host, ClientIP: r.RemoteAddr, Secure: r.TLS != nil,
		Header: make(map[string][]string, len(r.Header)), Query: parsePairs(r.URL.RawQuery),
	}
	for name, values := range r.Header {
		req.Header[strings.ToLower(name)] = values
	}
	cleanup = func() {
		for _, u := range req.Uploads {
			_ = os.Remove(u.TempName)
		}
	}
	if r.Body == nil || r.Body == http.NoBody {
		return req, cleanup, nil
	}
	body := http.MaxBytesReader(nil, r.Body, limits.Max)
	req.ContentType = r.Header.Get("Content-Type")
	media, params, _ := mime.ParseMediaType(req.ContentType)
	switch media {
	case "application/x-www-form-urlencoded":
		var text []byte
		if text, err = readAtMost(body, limits.Content); err == nil {
			req.Form = parsePairs(string(text))
		}
	case "multipart/form-data":
		err = req.readForm(multipart.NewReader(body, params["boundary"]), limits)
	default:
		var content []byte
		if content, err = readAtMost(body, limits.Content); len(content) > 0 {
			req.Content = bytes.NewReader(content)
		}
	}
	if err != nil {
		cleanup()
		return nil, func() {}, err
	}
	return req, cleanup, nil
}

// readAtMost reads a body that must not exceed limit.
func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = &http.MaxBytesError{Limit: limit}
	}
	return b, err
}

// readForm stores the files of a multipart form and reads its fields.
func (req *Request) readForm(form *multipart.Reader, limits BodyLimits) error {
	left := limits.Content
	for n := 0; ; n++ {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) && n > 0 {
			return nil
		}
		if err == nil && n >= maxParts {
			err = fmt.Errorf("%w: more than %d parts", ErrForm, maxParts)
		}
		if err != nil {
			return formError(err)
		}
		if part.FileName() == "" {
			value, err := readAtMost(part, left)
			if err != nil {
				return formError(err)
			}
			left -= int64(len(value))
			req.Form = append(req.Form, Pair{part.FormName(), string(value)})
			continue
		}
		if err := req.storeFile(part, limits.TempDir); err != nil {
			return formError(err)
		}
	}
}

// formError keeps what callers branch on and calls all else a broken form.
func formError(err error) error {
	var tooLarge *http.MaxBytesError
	var timeout interface{ Timeout() bool }
	if errors.As(err, &tooLarge) || errors.As(err, &timeout) || errors.Is(err, ErrForm) || errors.Is(err, errStore) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrForm, err)
}

var errStore = errors.New("lua: upload cannot be stored")

func (req *Request) storeFile(part *multipart.Part, dir string) error {
	f, err := os.CreateTemp(dir, "upload-*")
	if err != nil {
		return fmt.Errorf("%w: %w", errStore, err)
	}
	u := Upload{
		FieldName: part.FormName(), OrigName: part.FileName(), TempName: f.Name(),
		MIMEType: part.Header.Get("Content-Type"),
	}
	u.Size, err = io.Copy(f, part)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("%w: %w", errStore, closeErr)
	}
	req.Uploads = append(req.Uploads, u)
	return err
}

// parsePairs reads a query or form in its order; pairs that are not well
// encoded are left out, as net/url does.
func parsePairs(text string) []Pair {
	var pairs []Pair
	for part := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(part, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if part != "" && err1 == nil && err2 == nil && len(pairs) < maxParts {
			pairs = append(pairs, Pair{n, v})
		}
	}
	return pairs
}
