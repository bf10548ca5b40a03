package syntax

// kind is a token's kind: the keyword or symbol itself, or one of the
// constants below.
type kind string

const (
	kindEOF    kind = "end of file"
	kindName   kind = "name"
	kindString kind = "string"
	kindNumber kind = "number"
)

// token is one word of the source. text is the name, the string's value or
// the number as gopher-lua reads it.
type token struct {
	kind         kind
	text         string
	line, column int
}

// shown is how an error names the token.
func (t token) shown() string {
	switch t.kind {
	case kindName, kindNumber:
		return "'" + t.text + "'"
	case kindEOF, kindString:
		return string(t.kind)
	}
	return "'" + string(t.kind) + "'"
}

var keywords = map[string]bool{
	"and": true, "break": true, "do": true, "else": true, "elseif": true, "end": true,
	"false": true, "for": true, "function": true, "goto": true, "if": true, "in": true,
	"local": true, "nil": true, "not": true, "or": true, "repeat": true, "return": true,
	"then": true, "true": true, "until": true, "while": true,
}

// symbols are tried in this order: longer ones first.
var symbols = []string{
	"...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>",
	"+", "-", "*", "/", "%", "^", "#", "&", "~", "|", "<", ">", "=",
	"(", ")", "{", "}", "[", "]", ";", ":", ",", ".",
}
