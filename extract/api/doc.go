// Package api describes the service as data: its operations with their prices, limits, methods and
// paths; the parameters that they take and the values that the service accepts; the partitions that
// searches cover; and the one reader of answers, for paging, billing and rows.
//
// Facts and prices are those of the interface text. The package is pure: it uses no network, clock
// or disk, so that extract, transform, the plan and the simulator can share it.
package api
