# R: the published file through DuckDB's package.
#
#     install.packages(c("DBI", "duckdb"))
#     Rscript with_r.R fleetlake-data
library(DBI)

# newest is the path of the version that is published now; README.md says why it is better than fleet.duckdb.
newest <- function(data) {
  published <- file.path(data, "warehouse", "fleet.duckdb")
  versions <- list.files(file.path(data, "warehouse", "versions"), pattern = "[.]duckdb$", full.names = TRUE)
  same <- versions[tools::md5sum(versions) == tools::md5sum(published)]
  if (length(same) > 0) same[[1]] else published
}

data <- commandArgs(trailingOnly = TRUE)[[1]]
fleet <- dbConnect(duckdb::duckdb(dbdir = newest(data), read_only = TRUE), timezone_out = "UTC")
print(dbGetQuery(fleet, "SELECT flag, count(*) AS vessels FROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY 2 DESC, 1 LIMIT 5"))
since <- Sys.time() - 26 * 3600
seen <- dbGetQuery(fleet, "SELECT count(*) AS vessels FROM vessels WHERE last_seen > to_timestamp(?)", list(as.numeric(since)))
cat(seen$vessels, "vessels seen in the last 26 hours\n")
dbDisconnect(fleet, shutdown = TRUE) # without shutdown the process keeps the file open, and with it the night
