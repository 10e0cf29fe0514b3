package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/spf13/cobra"
)

// durationFlag is a flag with a duration, in the units of the configuration: 90s, 20h or 30d.
type durationFlag struct {
	value *time.Duration
	least time.Duration
}

// String implements pflag.Value. A duration below the least stands for a flag that was not given.
func (f *durationFlag) String() string {
	if f.value == nil || *f.value < max(f.least, 1) {
		return ""
	}
	return f.value.String()
}

// Set implements pflag.Value.
func (f *durationFlag) Set(s string) error {
	d, err := config.Duration(f.least)(s)
	if err == nil {
		*f.value = d
	}
	return err
}

// Type implements pflag.Value.
func (*durationFlag) Type() string { return "duration" }

// numberFlag is a flag with a whole number between two bounds.
type numberFlag struct {
	value       *int
	least, most int
}

// String implements pflag.Value. A number outside of the bounds stands for a flag that was not given.
func (f *numberFlag) String() string {
	if f.value == nil || *f.value < f.least {
		return ""
	}
	return strconv.Itoa(*f.value)
}

// Set implements pflag.Value.
func (f *numberFlag) Set(s string) error {
	n, err := config.Number(f.least, f.most)(s)
	if err == nil {
		*f.value = n
	}
	return err
}

// Type implements pflag.Value.
func (*numberFlag) Type() string { return "number" }

// goneFlag is a flag that the version before had: it says what to use instead.
type goneFlag string

// String implements pflag.Value.
func (goneFlag) String() string { return "" }

// Set implements pflag.Value.
func (f goneFlag) Set(string) error { return fmt.Errorf("this flag is gone, use %s", string(f)) }

// Type implements pflag.Value.
func (goneFlag) Type() string { return "" }

// goneFlags adds flags that the version before had, which say what to use instead, and which --help leaves out.
func goneFlags(c *cobra.Command, use string, names ...string) {
	for _, name := range names {
		f := c.Flags().VarPF(goneFlag(use), name, "", "")
		f.Hidden, f.NoOptDefVal = true, "true"
	}
}
