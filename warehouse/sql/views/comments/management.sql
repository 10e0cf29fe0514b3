-- management: comments of the table management.
COMMENT ON TABLE management IS 'Who owns, manages, classes and insures a vessel: one row per version. A column without a value in an answer keeps its value.';
COMMENT ON COLUMN management.manager IS 'Company that manages the vessel.';
COMMENT ON COLUMN management.manager_email IS 'Of the manager.';
COMMENT ON COLUMN management.manager_address IS 'Of the manager.';
COMMENT ON COLUMN management.manager_website IS 'Of the manager.';
COMMENT ON COLUMN management.registered_owner IS 'Company that owns the vessel.';
COMMENT ON COLUMN management.registered_owner_email IS 'Of the owner.';
COMMENT ON COLUMN management.registered_owner_address IS 'Of the owner.';
COMMENT ON COLUMN management.registered_owner_website IS 'Of the owner.';
COMMENT ON COLUMN management.ism IS 'Company responsible under the safety management code.';
COMMENT ON COLUMN management.ism_email IS 'Of that company.';
COMMENT ON COLUMN management.ism_address IS 'Of that company.';
COMMENT ON COLUMN management.ism_website IS 'Of that company.';
COMMENT ON COLUMN management.ism_web IS 'Of that company; a second address that the service lists.';
COMMENT ON COLUMN management.class_society IS 'Classification society.';
COMMENT ON COLUMN management.p_and_i IS 'Protection and indemnity club.';
