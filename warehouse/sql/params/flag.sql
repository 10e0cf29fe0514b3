-- flag: the flags of the program's list, and those that a vessel has besides.
SELECT flag FROM flags UNION SELECT flag FROM registration WHERE flag IS NOT NULL
