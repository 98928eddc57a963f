import type { CallerCtx } from "../../../access/caller.ts";
import { EVENT_COLUMNS, recordsEventsSql } from "../../../platform/person-events/insert.ts";
import { eventLimits } from "../../../platform/person-events/rules.ts";
import { wakeForEvents } from "../../../platform/person-events/wake.ts";
import type { ListRow } from "../queries.ts";
import { limits } from "../rules.ts";

const ROWS = `
  WITH j AS MATERIALIZED (
    SELECT value->>'id' AS id, value->>'key' AS key, value->>'name' AS name, value->>'metadata' AS metadata FROM json_each(?1))`;

const MERGED = "iif(j.metadata IS NULL, c.metadata, json_patch(coalesce(c.metadata, '{}'), j.metadata))";
const IS_CHANGED = `
  (j.name IS NOT NULL AND j.name IS NOT c.name OR ${MERGED} IS NOT c.metadata) AND coalesce(octet_length(${MERGED}), 0) <= ${limits.metadataBytes}`;

/** The fields that change, by the names that conditions have for them: EXCEPT compares them in one pass. All imported values are texts. */
const FIELDS = `(
  SELECT json_group_object(key, value) FROM (
    SELECT key, value FROM (
      SELECT key, value, type FROM json_each(coalesce(j.metadata, '{}')) WHERE key NOT IN ('email', 'name')
      EXCEPT SELECT key, value, type FROM json_each(coalesce(c.metadata, '{}')))
    UNION ALL SELECT 'name', j.name WHERE j.name IS NOT NULL AND j.name IS NOT c.name))`;

const RECORD = `${ROWS},
  changed AS MATERIALIZED (
    SELECT c.workspace, j.id, c.email_key, c.id AS contact, l.id AS list, ${FIELDS} AS fields
      FROM contact_lists l CROSS JOIN j CROSS JOIN contacts c ON c.list = l.n AND c.email_key = j.key
     WHERE l.n = ?2 AND l.workspace = ?3 AND c.pending_since IS NULL AND ${recordsEventsSql("?3")} AND ${IS_CHANGED})
  INSERT OR IGNORE INTO events (${EVENT_COLUMNS})
  SELECT workspace, id, email_key, 'contact.field_changed',
         json_object('list_id', list, 'contact_id', contact, 'fields', json(iif(octet_length(fields) > ${eventLimits.changedFieldsBytes}, '{}', fields))), ?4, ?4
    FROM changed WHERE fields <> '{}'`;

const UPDATE = `${ROWS}
  UPDATE contacts AS c SET name = coalesce(j.name, c.name), metadata = ${MERGED} FROM j
   WHERE c.list = ?2 AND c.workspace = ?3 AND c.email_key = j.key AND ${IS_CHANGED}`;

/**
 * Gives the contacts of a list the names and the metadata that rows of a file have for them, and records their events. What a row leaves
 * empty stays. `chunks` are JSON arrays of the rows, with an id of each. Returns how many contacts changed. One whose metadata would be too
 * large stays as it is.
 */
export async function updateContacts(ctx: CallerCtx, list: ListRow, chunks: readonly string[]): Promise<number> {
  const { mail, workspace } = ctx;
  const results = await mail.batch(
    chunks.flatMap((chunk) => [
      mail.prepare(RECORD).bind(chunk, list.n, workspace.number, ctx.now()),
      mail.prepare(UPDATE).bind(chunk, list.n, workspace.number),
    ]),
  );
  const [events, updates] = [results.filter((_, at) => at % 2 === 0), results.filter((_, at) => at % 2 === 1)];
  await wakeForEvents(ctx, events);
  return updates.reduce((total, { meta }) => total + meta.changes, 0);
}
