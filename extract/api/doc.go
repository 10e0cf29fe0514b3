// Package api is the service as data: its operations with their prices, limits, methods and paths;
// the parameters that they take and the values that it accepts; the partitions that its searches
// cover; and what an answer holds, as far as paging and billing need to know.
//
// Facts and prices are those of the interface text. The package is pure: it knows no network, no
// clock and no disk, and the harvest, the normalising, the planning and the simulator share it.
package api
