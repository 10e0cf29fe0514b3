package flight

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
)

// bits makes a mask of the numbers that an enumeration of Flight SQL gives to what is supported.
func bits(numbers ...int) (mask int32) {
	for _, n := range numbers {
		mask |= 1 << n
	}
	return mask
}

// unknownLimit is a limit that there is none of, or that nobody knows, as JDBC and ODBC have it.
const unknownLimit = int64(0)

// grammar is what clients can ask about the SQL. The JDBC driver, and with it every BI tool that uses it, ends
// with a null pointer where a server has no answer to one of these, so that each has one.
var grammar = map[flightsql.SqlInfo]any{
	flightsql.SqlInfoKeywords:          strings.Fields("ANTI ASOF ATTACH DESCRIBE EXCLUDE GLOB ILIKE LIMIT MACRO OFFSET PIVOT POSITIONAL PRAGMA QUALIFY RENAME REPLACE RETURNING SAMPLE SEMI SHOW STRUCT SUMMARIZE TRY_CAST UNPIVOT"),
	flightsql.SqlInfoNumericFunctions:  strings.Fields("abs acos asin atan atan2 cbrt ceil cos cot degrees even exp floor gcd greatest lcm least ln log log10 log2 pi pow radians random round sign sin sqrt tan trunc"),
	flightsql.SqlInfoStringFunctions:   strings.Fields("ascii chr concat concat_ws contains ends_with instr jaro_winkler_similarity left length levenshtein lower lpad ltrim md5 position regexp_extract regexp_matches regexp_replace repeat replace reverse right rpad rtrim split_part starts_with strip_accents strlen substring trim upper"),
	flightsql.SqlInfoSystemFunctions:   strings.Fields("coalesce current_catalog current_database current_schema ifnull nullif typeof version"),
	flightsql.SqlInfoDateTimeFunctions: strings.Fields("age date_diff date_part date_trunc day dayname dayofweek dayofyear epoch hour last_day make_date minute month monthname quarter second strftime strptime week year"),
	flightsql.SqlInfoExtraNameChars:    "",
	flightsql.SqlInfoProcedureTerm:     "macro",
	flightsql.SqlInfoSupportsConvert:   map[int32][]int32{}, // CAST converts, and not the function CONVERT

	flightsql.SqlInfoSupportsDifferentTableCorrelationNames:  false,
	flightsql.SqlInfoSupportsIntegrityEnhancementFacility:    false,
	flightsql.SqlInfoDataDefinitionCausesTransactionCommit:   false,
	flightsql.SqlInfoDataDefinitionsInTransactionsIgnored:    false,
	flightsql.SqlInfoLocatorsUpdateCopy:                      false,
	flightsql.SqlInfoStoredFunctionsUsingCallSyntaxSupported: false,

	flightsql.SqlInfoSupportedGroupBy:                     bits(0, 1), // columns that are not selected, and others beside them
	flightsql.SqlInfoSupportedGrammar:                     bits(0, 1), // the minimum and the core of ODBC
	flightsql.SqlInfoANSI92SupportedLevel:                 bits(0),    // the entry level
	flightsql.SqlInfoOuterJoinsSupportLevel:               bits(1, 2), // limited and full ones
	flightsql.SqlInfoSupportedSubqueries:                  bits(0, 1, 2, 3),
	flightsql.SqlInfoSupportedUnions:                      bits(0, 1), // with and without ALL
	flightsql.SqlInfoSchemasSupportedActions:              bits(),
	flightsql.SqlInfoCatalogsSupportedActions:             bits(),
	flightsql.SqlInfoSupportedPositionedCommands:          bits(),
	flightsql.SqlInfoDefaultTransactionIsolation:          int64(0), // none: the driver reads a long, whatever the protocol says
	flightsql.SqlInfoSupportedTransactionsIsolationlevels: bits(0),  // none
	flightsql.SqlInfoSupportedResultSetTypes:              bits(1),  // forward only

	flightsql.SqlInfoSupportedConcurrenciesForResultSetUnspecified:       bits(1), // for reading
	flightsql.SqlInfoSupportedConcurrenciesForResultSetForwardOnly:       bits(1),
	flightsql.SqlInfoSupportedConcurrenciesForResultSetScrollSensitive:   bits(),
	flightsql.SqlInfoSupportedConcurrenciesForResultSetScrollInsensitive: bits(),

	flightsql.SqlInfoMaxBinaryLiteralLen: unknownLimit, flightsql.SqlInfoMaxCharLiteralLen: unknownLimit, flightsql.SqlInfoMaxColumnNameLen: unknownLimit,
	flightsql.SqlInfoMaxColumnsInGroupBy: unknownLimit, flightsql.SqlInfoMaxColumnsInIndex: unknownLimit, flightsql.SqlInfoMaxColumnsInOrderBy: unknownLimit,
	flightsql.SqlInfoMaxColumnsInSelect: unknownLimit, flightsql.SqlInfoMaxColumnsInTable: unknownLimit, flightsql.SqlInfoMaxConnections: unknownLimit,
	flightsql.SqlInfoMaxCursorNameLen: unknownLimit, flightsql.SqlInfoMaxIndexLen: unknownLimit, flightsql.SqlInfoDBSchemaNameLen: unknownLimit,
	flightsql.SqlInfoMaxProcedureNameLen: unknownLimit, flightsql.SqlInfoMaxCatalogNameLen: unknownLimit, flightsql.SqlInfoMaxRowSize: unknownLimit,
	flightsql.SqlInfoMaxRowSizeIncludesBlobs: false, flightsql.SqlInfoMaxStatementLen: unknownLimit, flightsql.SqlInfoMaxStatements: unknownLimit,
	flightsql.SqlInfoMaxTableNameLen: unknownLimit, flightsql.SqlInfoMaxTablesInSelect: unknownLimit, flightsql.SqlInfoMaxUsernameLen: unknownLimit,

	flightsql.SqlInfoFlightSqlServerSubstraitMinVersion: "", flightsql.SqlInfoFlightSqlServerSubstraitMaxVersion: "",
	flightsql.SqlInfoFlightSqlServerStatementTimeout: int32(0), flightsql.SqlInfoFlightSqlServerTransactionTimeout: int32(0),
	flightsql.SqlInfoFlightSqlServerIngestTransactionsSupported: false,
}
