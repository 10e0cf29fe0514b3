-- searches: store searches_tonight.
INSERT INTO internal.searches BY NAME FROM searches_tonight;
