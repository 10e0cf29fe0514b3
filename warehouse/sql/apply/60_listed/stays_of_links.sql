-- stays_of_links: what the list had of her as a vessel of her own is part of that stay.
-- reads: links
-- changes: listed
-- needs: links WHERE proved
-- after: stays_linked
DELETE FROM listed WHERE vessel_id IN (SELECT known_as FROM links WHERE proved);
