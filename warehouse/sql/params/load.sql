-- load: the loads that status searches can be for.
SELECT unnest(['ballast', 'partial', 'laden'])
