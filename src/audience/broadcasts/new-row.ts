import { getTableColumns } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import type { MailStatement } from "../../platform/context.ts";
import { expectChanges } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { broadcasts } from "../../platform/db/schema/mail/index.ts";
import { type BroadcastChanges, givenIn } from "./change.ts";
import { domainOfSender } from "./check-references.ts";
import { type BroadcastRow, toMoreLists } from "./queries.ts";
import type { BroadcastPatch } from "./schema.ts";

/** Returns the columns of the fields that a request has. Fields that the schema does not have are not in it. */
export function toColumns(fields: BroadcastPatch): BroadcastChanges {
  const { from_address, more_contact_list_ids: more, ab_auto_promote: auto, blocks_json: blocks, ...others } = fields;
  const makes = fields.text_from_html;
  const given = {
    ...others,
    text_from_html: makes === undefined ? makes : Number(makes),
    ab_auto_promote: auto && JSON.stringify(auto),
    blocks_json: blocks && JSON.stringify(blocks),
    more_lists: more === undefined ? more : toMoreLists(more),
  };
  const sender = from_address === undefined ? {} : { from_address, from_domain: domainOfSender(from_address) };
  return { ...givenIn(given), ...sender };
}

const DEFAULTS = Object.values(getTableColumns(broadcasts)).map(({ name, default: value }) => [name, value ?? null]);

/** Returns the row of a new broadcast of the caller, a draft unless `columns` say otherwise. Its number is not known yet. */
export function newRow(ctx: CallerCtx, columns: BroadcastChanges): BroadcastRow {
  const now = ctx.now();
  return {
    ...(Object.fromEntries(DEFAULTS) as BroadcastRow),
    n: 0,
    workspace: ctx.workspace.number,
    id: ctx.newId(),
    status: "draft",
    user_id: ctx.actor.userId,
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

const HAS_ROOM = `(b.status <> 'draft' OR ${hasRoom("broadcasts", "b.workspace")})`;

// The number of the broadcast is known in its transaction only.
const INSERT_TASK = `
  INSERT INTO outbox (due_at, id, kind, ref, workspace)
  SELECT ?3, id, 'broadcast', json_array(n), workspace FROM broadcasts WHERE workspace = ?1 AND id = ?2`;

/**
 * Returns the statements that insert a broadcast, with an outbox row if it is `dueAt` a time. They roll back the batch with
 * ConcurrencyError when the row `b` does not meet the SQL condition `where`.
 */
export function insertStatements(
  { mail: db }: CallerCtx,
  { n: _, ...row }: BroadcastRow,
  dueAt: number | null,
  where = "true",
): MailStatement[] {
  const names = Object.keys(row);
  const values = names.map((name, index) => `?${index + 1} AS ${name}`).join(", ");
  const insert = `INSERT INTO broadcasts (${names.join(", ")}) SELECT * FROM (SELECT ${values}) b WHERE ${where} AND ${HAS_ROOM}`;
  return [
    db.prepare(insert).bind(...Object.values(row)),
    expectChanges(db, 1),
    ...(dueAt === null ? [] : [db.prepare(INSERT_TASK).bind(row.workspace, row.id, dueAt)]),
  ];
}
