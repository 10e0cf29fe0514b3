package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// parse reads the flags of a verb, before and after TARGET. Help goes to out.
func parse(name string, v verb, args []string, out io.Writer) (options, error) {
	o := options{}
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	common(f, &o)
	v.flags(f, &o)
	f.Usage = func() {
		fmt.Fprintf(out, "%s\n\n  %s\n\nFlags:\n", v.about, v.example)
		f.SetOutput(out)
		f.PrintDefaults()
		f.SetOutput(io.Discard)
	}
	var targets []string
	for {
		if err := f.Parse(args); err != nil {
			return o, err
		}
		if f.NArg() == 0 {
			break
		}
		targets = append(targets, f.Arg(0))
		args = f.Args()[1:]
	}
	if len(targets) != 1 {
		return o, fmt.Errorf("name one TARGET, a directory or s3://bucket/prefix, for example: %s", v.example)
	}
	o.target = targets[0]
	o.catalog.token = os.Getenv("FLEETLAKE_ICEBERG_TOKEN")
	o.catalog.oauth.credential = os.Getenv("FLEETLAKE_ICEBERG_CREDENTIAL")
	o.catalog.s3.accessKey = os.Getenv("FLEETLAKE_EXPORT_ACCESS_KEY")
	o.catalog.s3.secretKey = os.Getenv("FLEETLAKE_EXPORT_SECRET_KEY")
	o.catalog.s3.sessionToken = os.Getenv("FLEETLAKE_EXPORT_SESSION_TOKEN")
	return o, nil
}

// common are the flags of every verb.
func common(f *flag.FlagSet, o *options) {
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.timeout = 2 * time.Hour
	f.Func("timeout", "end after so `long`, for example 30m; what is committed by then stays (default 2h)", duration(&o.timeout))
	f.StringVar(&o.catalog.name, "catalog", "fleetlake", "`name` of the catalog; engines that open the SQLite file must use the same")
	f.StringVar(&o.catalog.file, "catalog-file", "", "SQLite `file` of the SQL catalog (default TARGET/_iceberg/catalog.db)")
	f.StringVar(&o.catalog.uri, "catalog-uri", "", "`address` of a REST catalog, in place of the SQL catalog")
	f.StringVar(&o.catalog.oauth.uri, "oauth2-uri", "", "`address` that gives out tokens for FLEETLAKE_ICEBERG_CREDENTIAL (default that of the REST catalog)")
	f.StringVar(&o.catalog.oauth.scope, "scope", "", "`scope` of these tokens (default catalog), such as PRINCIPAL_ROLE:ALL")
	f.StringVar(&o.catalog.warehouse, "warehouse", "", "`name` of the warehouse in a REST catalog that has several")
	f.StringVar(&o.catalog.s3.endpoint, "endpoint", "", "`address` of an S3-compatible store (default that of AWS)")
	f.StringVar(&o.catalog.s3.region, "region", "us-east-1", "`region` of the bucket")
	f.BoolVar(&o.catalog.s3.pathStyle, "path-style", false, "put the bucket into the path of an address, not into the name of the host")
}

// duration reads a number of days, as in 7d, or what Go calls a duration, as in 36h.
func duration(to *time.Duration) func(string) error {
	return func(text string) error {
		d, err := time.ParseDuration(text)
		if days, ok := strings.CutSuffix(text, "d"); ok {
			var n int
			n, err = strconv.Atoi(days)
			d = time.Duration(n) * 24 * time.Hour
		}
		if err != nil || d < 0 {
			return errors.New("write days as in 7d, or hours as in 36h")
		}
		*to = d
		return nil
	}
}
