-- category: the categories of vessel types, with the word for none.
SELECT category FROM types UNION SELECT 'unknown'
