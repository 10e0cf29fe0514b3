package lists

import (
	"os"
	"testing"

	"github.com/fleetlake/fleetlake/schedules/page/pagetest"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Run(m)) }
