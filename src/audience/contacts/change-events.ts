import type { CallerCtx } from "../../access/caller.ts";
import { utf8Length } from "../../lib/bytes.ts";
import type { MailStatement } from "../../platform/context.ts";
import { insertEventsStatements } from "../../platform/person-events/insert.ts";
import { eventLimits, type PersonEvent } from "../../platform/person-events/rules.ts";
import type { ContactBefore } from "./queries.ts";
import type { ChangedFields } from "./rules.ts";

/** A change of a contact. An absent field stays. */
interface ContactChange extends ChangedFields {
  email?: { address: string; key: string } | undefined;
  /** The contact becomes active. */
  isActivated?: boolean;
}

// The events tell the difference to what was read, so a contact that another call changed since is read again.
const IS_UNCHANGED = `
  SELECT CASE WHEN NOT EXISTS (
    SELECT 1 FROM contacts WHERE list = ?1 AND id = ?2 AND email = ?3 AND name IS ?4 AND metadata IS ?5 AND pending_since IS ?6
       AND (SELECT confirm FROM contact_lists WHERE n = ?1) = ?7)
   THEN json('lost race') END`;

/**
 * Returns the statements that record the events of a change, for the start of its batch, and a guard that rolls it back with
 * ConcurrencyError when the contact is not as it was read. None when nothing changes. Changed fields are an event only in a workspace with
 * automations.
 */
export function changeEventsStatements(
  ctx: CallerCtx,
  list: { n: number; id: string; confirm: 0 | 1 },
  before: ContactBefore,
  change: ContactChange,
): MailStatement[] {
  const events = changeEvents(list, before, change).map(
    ({ emailKey, name, data }): PersonEvent => ({
      workspace: ctx.workspace.number,
      id: ctx.newId(),
      emailKey,
      name,
      data: { list_id: list.id, contact_id: before.id, ...data },
      occurredAt: ctx.now(),
    }),
  );
  if (events.length === 0) return [];
  const { id, email, name, metadata, pending_since } = before;
  const guard = ctx.mail.prepare(IS_UNCHANGED).bind(list.n, id, email, name, metadata, pending_since, list.confirm);
  return [guard, ...insertEventsStatements(ctx, events)];
}

type ChangeEvent = Pick<PersonEvent, "emailKey" | "name" | "data">;

/** Returns the events of a change of a contact (docs/contract/events.md#contacts). Pure. */
function changeEvents(
  list: { confirm: 0 | 1 },
  before: ContactBefore,
  { isActivated = false, ...change }: ContactChange,
): ChangeEvent[] {
  const isPending = before.pending_since !== null;
  const key = change.email?.key ?? before.email_key;
  // Another address is another person.
  if (key !== before.email_key) {
    const isAdded = !isPending && list.confirm === 0;
    return [
      ...(isPending ? [] : [{ emailKey: before.email_key, name: "contact.removed", data: {} }]),
      ...(isAdded ? [{ emailKey: key, name: "contact.added", data: {} }] : []),
    ];
  }
  if (isPending) return isActivated ? [{ emailKey: key, name: "contact.added", data: {} }] : [];
  const fields = before.records_fields === 0 ? {} : changedFields(before, change);
  return Object.keys(fields).length === 0 ? [] : [{ emailKey: key, name: "contact.field_changed", data: { fields } }];
}

/** Returns the new values of the fields that a change changes, by the names that conditions have for them. */
function changedFields(before: ContactBefore, { email, name, metadata }: ContactChange): Record<string, unknown> {
  const old = before.metadata === null ? {} : (JSON.parse(before.metadata) as Record<string, unknown>);
  const given = metadata === undefined ? old : (metadata ?? {});
  const keys = new Set([...Object.keys(old), ...Object.keys(given)]);
  const changed = [...keys].flatMap((key): [string, unknown][] => {
    // The address and the name of a contact have these names in conditions.
    if (key === "email" || key === "name") return [];
    const [from, to] = [own(old, key), own(given, key)];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [[key, to ?? null]];
  });
  const fields = [
    ...changed,
    ...(email === undefined || email.address === before.email ? [] : [["email", email.address] as [string, unknown]]),
    ...(name === undefined || name === before.name ? [] : [["name", name] as [string, unknown]]),
  ];
  return withinLimit(fields);
}

const own = (object: Record<string, unknown>, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined);

/** Returns an object of fields, without values that would make it larger than the data of an event may be. */
function withinLimit(fields: readonly [string, unknown][]): Record<string, unknown> {
  let left: number = eventLimits.changedFieldsBytes;
  const kept = fields.flatMap(([key, value]): [string, unknown][] => {
    const [name, bytes] = [utf8Length(JSON.stringify(key)) + 6, utf8Length(JSON.stringify(value))];
    if (name > left) return [];
    const isKept = name + bytes <= left;
    left -= isKept ? name + bytes : name;
    return [[key, isKept ? value : null]];
  });
  // Object.fromEntries defines `__proto__` as any other key.
  return Object.fromEntries(kept);
}
