// Package planted proves that the tests can fail: it plants a fault in one critical line of the program
// after the other, and expects the tests that guard the line to find it. FLEETLAKE_LONG=1 runs them all;
// without it, the tests only check that each line is still there.
package planted
