-- zone: the world zones.
SELECT value FROM world_zones
