-- status: the navigational statuses.
SELECT value FROM navigational_statuses
