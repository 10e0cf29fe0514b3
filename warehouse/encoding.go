package warehouse

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Encoding is how the values of an answer are returned. DuckDB itself writes them, since its driver
// has no type for some, and loses digits or the order of keys of others.
type Encoding int

const (
	AsText Encoding = iota // nil, or a string: what a cast to VARCHAR gives
	AsJSON                 // nil, or a json.RawMessage: what to_json gives, with all digits of a number; NaN and infinity are null
)

// IsNumber reports whether the values of a type of DuckDB are numbers.
func IsNumber(databaseType string) bool {
	name, _, _ := strings.Cut(databaseType, "(")
	name = strings.TrimPrefix(name, "U")
	return slices.Contains([]string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BIGNUM", "FLOAT", "DOUBLE", "DECIMAL"}, name) && !strings.HasSuffix(databaseType, "]")
}

// InstantType is the type of an instant, as DuckDB names it.
const InstantType = "TIMESTAMP WITH TIME ZONE"

// expression is the SQL of a column in this encoding. An instant is written by RFC 3339 in UTC, such as
// 2026-11-20T02:00:00Z, or if the session is in another time zone, such as 2026-11-20T11:00:00+09:00; inside of lists and
// structs as DuckDB does, such as 2026-11-20 02:00:00+00.
func (e Encoding) expression(name, databaseType string, zoned bool) string {
	column := quoteName(name)
	text := "CAST(" + column + " AS VARCHAR)"
	if databaseType == InstantType {
		if zoned {
			text = `regexp_replace(replace(` + text + `, ' ', 'T'), '([+-][0-9]{2})$', '\1:00')`
		} else {
			text = "replace(replace(" + text + ", ' ', 'T'), '+00', 'Z')"
		}
	}
	switch {
	case e == AsText:
		return text
	case databaseType == InstantType:
		return "CAST(to_json(" + text + ") AS VARCHAR)"
	case databaseType == "FLOAT", databaseType == "DOUBLE": // to_json writes a FLOAT as the nearest DOUBLE
		return "CASE WHEN isfinite(" + column + ") THEN " + text + " END"
	}
	return "CAST(to_json(" + column + ") AS VARCHAR)"
}

// jsonToken matches the strings and the numbers of a JSON text, with those that JSON does not have.
var jsonToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?Infinity|NaN|-?\.?[0-9][-+.0-9eE]*`)

// jsonOf makes the text of a value valid JSON: DuckDB writes NaN and Infinity inside of lists and
// structs, and a DECIMAL of decimal places alone as .5.
func jsonOf(text, databaseType string) json.RawMessage {
	nested := strings.ContainsAny(databaseType, "[(")
	if !nested || !strings.Contains(databaseType, "DOUBLE") && !strings.Contains(databaseType, "FLOAT") && !strings.Contains(databaseType, "DECIMAL") {
		return json.RawMessage(text)
	}
	return json.RawMessage(jsonToken.ReplaceAllStringFunc(text, func(token string) string {
		switch {
		case token[0] == '.':
			return "0" + token
		case strings.HasPrefix(token, "-."):
			return "-0" + token[1:]
		case strings.HasSuffix(token, "Infinity"), token == "NaN":
			return "null"
		}
		return token
	}))
}

// wholeNumber matches the quoted names and values in the name of a type, and the types of whole numbers
// that Parquet does not have.
var wholeNumber = regexp.MustCompile(`"(?:[^"]|"")*"|'(?:[^']|'')*'|\bU?HUGEINT\b|\bBIGNUM\b`)

// parquetType is the type with which Parquet keeps all digits of a column. DuckDB would write a
// HUGEINT, which every sum of whole numbers is, as a DOUBLE of 15 digits.
func parquetType(databaseType string) string {
	var b strings.Builder
	from := 0
	for _, found := range wholeNumber.FindAllStringIndex(databaseType, -1) {
		word := databaseType[found[0]:found[1]]
		fieldName := strings.HasPrefix(databaseType[found[1]:], " ") // its type follows
		switch {
		case fieldName, word[0] == '"', word[0] == '\'':
			continue
		case word == "BIGNUM":
			word = "VARCHAR"
		default:
			word = widestDecimal
		}
		b.WriteString(databaseType[from:found[0]] + word)
		from = found[1]
	}
	return b.String() + databaseType[from:]
}

// widestDecimal is the type of the longest whole numbers that Parquet has.
const widestDecimal = "DECIMAL(38,0)"
