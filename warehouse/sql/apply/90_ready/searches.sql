-- searches: store searches_tonight.
-- reads: searches_tonight
-- adds to: internal.searches
-- needs: searches_tonight
INSERT INTO internal.searches BY NAME FROM searches_tonight;
