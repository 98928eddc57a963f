import type { MailCtx, MailStatement, WakeUp } from "../../../platform/context.ts";
import { idPrefix } from "../../../platform/db/random-id.ts";
import type { contactLists } from "../../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import { requestStatements } from "../../consent/index.ts";
import { ADDED, CHANGED, contactEventSql, FIELDS, REMOVED } from "./contact-events.ts";
import { causeOf, done, idOfEffect, nothingPrepared, type Outcome, type PendingOf, type Prepared } from "./outcome.ts";

// Values that are the same already write nothing. They hold for all contacts of the person. `name` is no metadata.
const SET_NAME = `
  UPDATE contacts SET name = j.value->>'text' FROM json_each(?1) j
   WHERE contacts.workspace = j.value->>'workspace' AND contacts.email_key = j.value->>'key'
     AND contacts.name IS NOT j.value->>'text'`;
const SET_METADATA = `
  UPDATE contacts SET metadata = json_patch(coalesce(metadata, '{}'), j.value->'fields') FROM json_each(?1) j
   WHERE contacts.workspace = j.value->>'workspace' AND contacts.email_key = j.value->>'key' AND ${CHANGED}`;

/** Prepares changes of a field of people. */
export function prepareFields(ctx: MailCtx, pending: readonly PendingOf<"set_field">[]): Prepared {
  const row = ({ due, effect: { step } }: PendingOf<"set_field">) => ({
    workspace: due.workspace,
    key: due.key,
    text: step.value === null ? null : String(step.value),
    fields: { [step.field]: step.value },
  });
  const rows = pending.map((one) => ({ ...row(one), cause: causeOf(one), isName: one.effect.step.field === "name" }));
  const db = ctx.mail;
  const statements = [true, false].flatMap((isName) => {
    const group = rows.filter((one) => one.isName === isName);
    if (group.length === 0) return [];
    const json = JSON.stringify(group);
    const condition = isName ? "c.name IS NOT j.value->>'text'" : CHANGED.replaceAll("contacts.", "c.");
    return [
      db.prepare(contactEventSql("contact.field_changed", condition, FIELDS)).bind(json, idPrefix(ctx), ctx.now()),
      db.prepare(isName ? SET_NAME : SET_METADATA).bind(json),
    ];
  });
  const outcomes = pending.map(({ due, effect: { step } }): [number, Outcome] => {
    return [due.n, done(step.value === null ? `Cleared ${step.field}.` : `Set ${step.field} to ${step.value}.`)];
  });
  return { statements, outcomes: new Map(outcomes), wake: [] };
}

type ListRow = StoredColumns<typeof contactLists, "n" | "workspace" | "id" | "name" | "confirm">;

const FIND_LISTS = `
  SELECT l.n, l.workspace, l.id, l.name, l.confirm FROM json_each(?1) j CROSS JOIN contact_lists l
      ON l.workspace = j.value->>'workspace' AND l.id = j.value->>'list'`;

// The new contact is as the oldest one of the person. Marks of the address are the same in all its contacts.
const ADD = `
  INSERT OR IGNORE INTO contacts (workspace, list, id, email, email_key, name, metadata, suppressed, unsubscribed, soft_bounced,
    created_at, pending_since)
  SELECT c.workspace, l.n, j.value->>'id', c.email, c.email_key, c.name, c.metadata, c.suppressed, c.unsubscribed, c.soft_bounced, ?2,
         iif(l.confirm, ?2, NULL)
    FROM json_each(?1) j CROSS JOIN contact_lists l ON l.n = j.value->>'list'
   CROSS JOIN contacts c ON c.n = (
     SELECT min(x.n) FROM contacts x WHERE x.workspace = j.value->>'workspace' AND x.email_key = j.value->>'key')`;

const REMOVE = `
  DELETE FROM contacts WHERE n IN (
    SELECT c.n FROM json_each(?1) j CROSS JOIN contacts c
        ON c.workspace = j.value->>'workspace' AND c.email_key = j.value->>'key' AND c.list = j.value->>'list')`;

const COUNT = "UPDATE contact_lists SET contact_count = contact_count + ?2 * changes() WHERE n = ?1";

type ListEffect = PendingOf<"add_to_list"> | PendingOf<"remove_from_list">;

/** Prepares people who are added to lists or removed from them. One D1 call. The caller bounds the lists of a page. */
export async function prepareLists(ctx: MailCtx, pending: readonly ListEffect[]): Promise<Prepared> {
  if (pending.length === 0) return nothingPrepared();
  const named = pending.map(({ due, effect }) => ({ workspace: due.workspace, list: effect.step.list_id }));
  const results = await ctx.mail.listRows<ListRow>(FIND_LISTS, JSON.stringify(named));
  const listOf = ({ due, effect }: ListEffect) =>
    results.find(({ workspace, id }) => workspace === due.workspace && id === effect.step.list_id);
  const outcomes = new Map(pending.map((one) => [one.due.n, done(textOf(one, listOf(one)))]));
  const changing = pending.filter((one) => listOf(one) !== undefined);
  const statements: MailStatement[] = [];
  const wakeUps: WakeUp[] = [];
  for (const [name, group] of Map.groupBy(changing, (one) => `${one.effect.step.kind} ${listOf(one)?.n}`)) {
    const [list] = group.map(listOf);
    if (!list) continue;
    const rows = await Promise.all(group.map((one) => toRow(one, list)));
    const added = name.startsWith("add_to_list") ? addStatements(ctx, list, rows) : null;
    statements.push(...(added?.statements ?? removeStatements(ctx, list, rows)));
    if (added?.wakeUp) wakeUps.push(added.wakeUp);
  }
  return { statements, outcomes, wake: wakeUps.length > 0 ? [() => ctx.wake(wakeUps)] : [] };
}

function textOf({ person, effect: { step } }: ListEffect, list: ListRow | undefined): string {
  if (!list) return "The list does not exist any more.";
  const isIn = person.contacts.some((contact) => contact.list === list.id);
  if (step.kind === "add_to_list")
    return isIn ? `Was in the list ${list.name} already.` : `Added to the list ${list.name}.`;
  return isIn ? `Removed from the list ${list.name}.` : `Was not in the list ${list.name}.`;
}

/** A person and a list, as the statements read them. */
type Row = Awaited<ReturnType<typeof toRow>>;

async function toRow(one: ListEffect, { n }: ListRow) {
  const { workspace, key } = one.due;
  return { workspace, key, list: n, id: await idOfEffect(one), cause: causeOf(one) };
}

function addStatements(ctx: MailCtx, list: ListRow, rows: readonly Row[]) {
  const db = ctx.mail;
  const json = JSON.stringify(rows);
  const request = list.confirm === 1 ? requestStatements(ctx, list, [json]) : null;
  return {
    statements: [
      db.prepare(ADD).bind(json, ctx.now()),
      db.prepare(COUNT).bind(list.n, 1),
      db.prepare(contactEventSql("contact.added", ADDED)).bind(json, idPrefix(ctx), ctx.now()),
      ...(request?.statements ?? []),
    ],
    wakeUp: request?.wakeUp,
  };
}

function removeStatements(ctx: MailCtx, list: ListRow, rows: readonly Row[]): MailStatement[] {
  const db = ctx.mail;
  const json = JSON.stringify(rows);
  return [
    db.prepare(contactEventSql("contact.removed", REMOVED)).bind(json, idPrefix(ctx), ctx.now()),
    db.prepare(REMOVE).bind(json),
    db.prepare(COUNT).bind(list.n, -1),
  ];
}
