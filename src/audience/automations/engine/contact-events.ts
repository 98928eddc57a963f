import { ID_SUFFIX_SQL } from "../../../platform/db/random-id.ts";
import { contactLimits } from "../../contacts/index.ts";

/** The changed fields with their new values. */
export const FIELDS = ", 'fields', json(j.value->'fields')";

/** SQL conditions on the contacts whose events a step causes: `c` is a contact, `j` a row of the statement. */

const PATCHED = "json_patch(coalesce(contacts.metadata, '{}'), j.value->'fields')";
/** Metadata that a step changes. A field that would make it too large is not set. */
export const CHANGED = `${PATCHED} <> coalesce(contacts.metadata, '{}') AND octet_length(${PATCHED}) <= ${contactLimits.metadataBytes}`;
/** A contact that the step has added. One that has to confirm is added when it does. */
export const ADDED = "c.list = j.value->>'list' AND c.id = j.value->>'id' AND c.pending_since IS NULL";
/** A contact that the step will remove. */
export const REMOVED = "c.list = j.value->>'list'";

/**
 * Returns SQL that records an event of a contact that a step causes, in the transaction of the change. `fields`: further members of its
 * data, in SQL. Its parameters: the rows of the step, the start of ids, and the time in milliseconds since 1970.
 */
export const contactEventSql = (name: string, condition: string, fields = ""): string => `
  INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
  SELECT c.workspace, ?2 || ${ID_SUFFIX_SQL}, c.email_key, '${name}',
         json_patch(json_object('list_id', l.id, 'contact_id', c.id${fields}), j.value->'cause'), ?3, ?3
    FROM json_each(?1) j CROSS JOIN contacts c ON c.workspace = j.value->>'workspace' AND c.email_key = j.value->>'key'
    JOIN contact_lists l ON l.n = c.list
   WHERE ${condition}`;
