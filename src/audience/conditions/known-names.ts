import type { CallerCtx } from "../../access/caller.ts";
import { SERVICE_EVENTS } from "../../platform/person-events/rules.ts";

/** Names that the workspace uses, and forms offer. */
export interface KnownNames {
  /** Keys of the metadata of contacts. */
  fields: readonly string[];
  events: readonly string[];
}

/** Contacts and events that are read for their names: the newest. */
const [CONTACTS, EVENTS] = [100, 300];
const MOST = 200;

const FIND_FIELDS = `
  SELECT DISTINCT m.key AS name FROM (SELECT metadata FROM contacts WHERE workspace = ?1 ORDER BY id DESC LIMIT ${CONTACTS}) c
    CROSS JOIN json_each(coalesce(c.metadata, '{}')) m ORDER BY 1 LIMIT ${MOST}`;
const FIND_EVENTS = `
  SELECT DISTINCT name FROM (SELECT name FROM events WHERE workspace = ?1 ORDER BY id DESC LIMIT ${EVENTS}) ORDER BY 1 LIMIT ${MOST}`;

/** Returns the names of fields and events that the newest contacts and events have, and the events of the service. One D1 call. */
export async function findKnownNames(ctx: CallerCtx): Promise<KnownNames> {
  const [fields, events] = await ctx.mail.listEach<[{ name: string }, { name: string }]>(
    [FIND_FIELDS, FIND_EVENTS].map((sql) => ctx.mail.prepare(sql).bind(ctx.workspace.number)),
  );
  const namesOf = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);
  return { fields: namesOf(fields), events: [...new Set([...namesOf(events), ...SERVICE_EVENTS])] };
}
