-- vessel_columns: the columns of the view vessels, and their types, in their order. Only this view is bound for it,
-- and not all of them.
SELECT column_name, column_type FROM (DESCRIBE vessels);
