-- Finds a contact by its id alone, for requests that do not name its list.
CREATE INDEX contacts_by_workspace ON contacts (workspace, id);
