-- particulars: comments of the table particulars.
COMMENT ON TABLE particulars IS 'Dimensions, tonnage, build and capacity: one row per version. A column without a value in an answer keeps its value.';
