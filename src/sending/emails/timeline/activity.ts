import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import type { EventEntry } from "../../../platform/db/email-json.ts";
import { isDelivered } from "../rules.ts";
import { isHitEvent } from "./classify-hits.ts";
import type { MergeResult } from "./merge.ts";
import { type EmailState, recipientKey } from "./state.ts";

/** A merge into an email, with the state before it. */
type Merged = Pick<MergeResult, "state" | "added"> & { before: EmailState };

/** The actions of one recipient of an email. Times in milliseconds since 1970. */
interface PersonActivity {
  workspace: number;
  email: string;
  received?: number;
  opened?: number;
  clicked?: number;
  /** Marks of the broadcast (`r12`: received number 12). */
  broadcasts: Record<string, 1>;
}

const KINDS = { received: "r", opened: "o", clicked: "c" } as const;
type Kind = keyof typeof KINDS;
const columns = ["received", "opened", "clicked"] as const;

/** Marks that a row keeps: those of the newest broadcasts. */
const MAX_MARKS = 150;
/** Characters of marks from which on they are counted. */
const MANY_MARKS = 1_500;

const later = (column: string) =>
  `${column} = nullif(max(coalesce(person_activity.${column}, 0), coalesce(excluded.${column}, 0)), 0)`;
const isDue = (column: string) => `excluded.${column} >= coalesce(person_activity.${column} + 3600000, 0)`;
const PATCHED = "json_patch(person_activity.broadcasts, excluded.broadcasts)";

// Each kind of activity is written once an hour, all kinds in one row. The marks of a broadcast are new at most three times.
const ADD = `
  INSERT INTO person_activity (workspace, email_key, received_at, opened_at, clicked_at, broadcasts)
  SELECT w.number, j.value->>'email', j.value->>'received', j.value->>'opened', j.value->>'clicked', j.value->>'broadcasts'
    FROM json_each(?1) j CROSS JOIN shard_workspaces w ON w.number = j.value->>'workspace' AND w.activity_since IS NOT NULL
   WHERE true
  ON CONFLICT DO UPDATE SET ${columns.map((kind) => later(`${kind}_at`)).join(", ")},
    broadcasts = CASE WHEN length(${PATCHED}) > ${MANY_MARKS} THEN (
      SELECT json_group_object(key, 1) FROM (
        SELECT key FROM json_each(${PATCHED}) ORDER BY CAST(substr(key, 2) AS INTEGER) DESC, key LIMIT ${MAX_MARKS}))
      ELSE ${PATCHED} END
   WHERE ${columns.map((kind) => isDue(`${kind}_at`)).join(" OR ")} OR ${PATCHED} <> person_activity.broadcasts`;

const isLost = (kind: Kind) => `${kind}_at IN (SELECT value FROM json_each(j.value, '$.${kind}'))`;

// A client may turn out to be a scanner. An earlier time of the same kind is not known any more.
const REMOVE = `
  UPDATE person_activity SET opened_at = CASE WHEN ${isLost("opened")} THEN NULL ELSE opened_at END,
    clicked_at = CASE WHEN ${isLost("clicked")} THEN NULL ELSE clicked_at END, broadcasts = json_patch(broadcasts, j.value->>'broadcasts')
  FROM json_each(?1) j WHERE person_activity.workspace = j.value->>'workspace' AND person_activity.email_key = j.value->>'email'`;

/**
 * Returns the statements that record when recipients received, opened and clicked, for the transaction of the emails
 * (docs/contract/segments.md#activity). They write no row for a workspace that keeps no activity. None when nothing happened.
 */
export function activityStatements(ctx: MailCtx, merged: readonly Merged[]): MailStatement[] {
  const added = sumActivity(merged.flatMap(toActivity));
  const removed = merged.flatMap(toRemoved);
  const bind = (sql: string, rows: readonly object[]) => ctx.mail.prepare(sql).bind(JSON.stringify(rows));
  return [
    ...(added.length > 0
      ? [
          bind(
            ADD,
            added.map((row) => ({ ...row, broadcasts: JSON.stringify(row.broadcasts) })),
          ),
        ]
      : []),
    ...(removed.length > 0 ? [bind(REMOVE, removed)] : []),
  ];
}

function toActivity({ before, state, added }: Merged): PersonActivity[] {
  const delivered = state.recipients.flatMap((recipient, index) => {
    const from = before.recipients[index];
    if (!isDelivered(recipient.state) || (from && isDelivered(from.state))) return [];
    const event = added.find(({ type, metadata }) => type === "delivered" && metadata?.recipient === recipient.email);
    return event ? [entry(state, recipientKey(recipient), "received", event.at)] : [];
  });
  return [...delivered, ...hitsOf(state, added, false)];
}

/** Returns, by person, the times of the hits that counted before and are those of a machine now, and the marks that no other hit keeps. */
function toRemoved({ before, state }: Merged): object[] {
  const isCounted = (event: EventEntry) => isHitEvent(event) && !event.metadata?.machine;
  const counted = new Set(before.events.filter(isCounted).map(({ id }) => id));
  if (counted.size === 0) return [];
  const counting = state.events.filter(({ id }) => counted.has(id));
  const lost = hitsOf(state, counting, true);
  const kept = hitsOf(state, state.events, false);
  return [...Map.groupBy(lost, ({ email }) => email)].map(([email, hits]) => {
    const keptMarks = new Set(kept.filter((hit) => hit.email === email).flatMap((hit) => Object.keys(hit.broadcasts)));
    const marks = hits.flatMap(({ broadcasts }) => Object.keys(broadcasts)).filter((mark) => !keptMarks.has(mark));
    return {
      workspace: state.workspace,
      email,
      opened: hits.flatMap(({ opened }) => opened ?? []),
      clicked: hits.flatMap(({ clicked }) => clicked ?? []),
      broadcasts: JSON.stringify(Object.fromEntries(marks.map((mark) => [mark, null]))),
    };
  });
}

/** Returns the opens and clicks of machines, or those of persons. A hit of an email to several recipients names no person. */
function hitsOf(state: EmailState, events: readonly EventEntry[], byMachine: boolean): PersonActivity[] {
  return events.flatMap((event) => {
    if (!isHitEvent(event) || (event.metadata?.machine === true) !== byMachine) return [];
    const { recipients } = state;
    const recipient =
      recipients.find(({ email }) => email === event.metadata?.recipient) ??
      (recipients.length === 1 ? recipients[0] : undefined);
    return recipient
      ? [entry(state, recipientKey(recipient), event.type === "open" ? "opened" : "clicked", event.at)]
      : [];
  });
}

function entry({ workspace, broadcast }: EmailState, email: string, kind: Kind, at: number): PersonActivity {
  return {
    workspace,
    email,
    [kind]: at,
    broadcasts: typeof broadcast === "number" ? { [`${KINDS[kind]}${broadcast}`]: 1 } : {},
  };
}

/** Returns one entry for each person: with the last times, and all marks. */
function sumActivity(entries: readonly PersonActivity[]): PersonActivity[] {
  const sums = new Map<string, PersonActivity>();
  for (const one of entries) {
    const key = `${one.workspace} ${one.email}`;
    const sum = sums.get(key) ?? { workspace: one.workspace, email: one.email, broadcasts: {} };
    for (const kind of columns) {
      const at = one[kind];
      if (at !== undefined) sum[kind] = Math.max(sum[kind] ?? 0, at);
    }
    Object.assign(sum.broadcasts, one.broadcasts);
    sums.set(key, sum);
  }
  return [...sums.values()];
}
