package warehouse

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fmt.Println("left out: the tests of this package build warehouses, which takes longer than -short allows")
		return
	}
	os.Exit(m.Run())
}
