package admission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// strictObject is a JSON object whose members are whole numbers and objects
// of such. Errors name a place, never a value.
type strictObject struct {
	path    string
	numbers map[string]int64
	objects map[string]*strictObject
}

// maxStrictDepth is the number of objects within each other that a quota file
// needs: the file, its clients, one client.
const maxStrictDepth = 3

// parseStrict reads one JSON object: UTF-8 without a byte order mark, no
// duplicate names, no null, no other kinds of values, nothing behind it.
func parseStrict(data []byte) (*strictObject, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return nil, errors.New("starts with a byte order mark")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	token, err := dec.Token()
	if err != nil {
		return nil, errSyntax(dec, err)
	}
	if token != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	object, err := parseObject(dec, "", 1)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has content behind the object")
	}
	return object, nil
}

// errSyntax replaces the decoder's own text, which may quote the content.
func errSyntax(dec *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("ends within the JSON object")
	}
	return fmt.Errorf("is not valid JSON near byte %d", dec.InputOffset())
}

func parseObject(dec *json.Decoder, path string, depth int) (*strictObject, error) {
	o := &strictObject{path: path, numbers: make(map[string]int64), objects: make(map[string]*strictObject)}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, errSyntax(dec, err)
		}
		name, ok := token.(string)
		if !ok {
			return nil, errSyntax(dec, errors.New("no name"))
		}
		at := path + "/" + name
		if _, twice := o.numbers[name]; twice || o.objects[name] != nil {
			return nil, fmt.Errorf("%s: stands twice", at)
		}
		if err := o.member(dec, name, at, depth); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, errSyntax(dec, err)
	}
	return o, nil
}

func (o *strictObject) member(dec *json.Decoder, name, at string, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return errSyntax(dec, err)
	}
	switch value := token.(type) {
	case json.Number:
		n, err := strconv.ParseInt(value.String(), 10, 64)
		if err != nil {
			return fmt.Errorf("%s: is not a whole number", at)
		}
		o.numbers[name] = n
		return nil
	case json.Delim:
		if value == '{' && depth < maxStrictDepth {
			o.objects[name], err = parseObject(dec, at, depth+1)
			return err
		}
	}
	return fmt.Errorf("%s: has a value of the wrong kind", at)
}
