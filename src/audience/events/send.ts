import { type CallerCtx, EarlySlot } from "../../access/caller.ts";
import { notFound, onError, tooManyRequests, unprocessable, type ValidationError } from "../../lib/errors.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { repeatableBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { RefusedBatchError, refuse } from "../../platform/db/refuse.ts";
import { requireOpenStatement } from "../../platform/db/shard-workspaces.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { requireMailSpace } from "../../platform/jobs/shard-sizes.ts";
import { recordsEventsSql } from "../../platform/person-events/insert.ts";
import { eventLimits } from "../../platform/person-events/rules.ts";
import { wakeForNewEvents } from "../../platform/person-events/wake.ts";
import { formatPolicy, waitingPolicy } from "../../platform/rate-limits/rules.ts";
import type { EventBatchOut, EventIn, EventSentOut } from "./schema.ts";

/** Marks a request whose Idempotency-Key is looked up by its write: nothing else is read for it with the credential. */
const writesFirst = new EarlySlot<object>();
export const earlyEventReads = () => ({ statements: () => [], toCaller: () => writesFirst.put({}) });

const UNKNOWN = "unknown contact";

// A contact of a list that was deleted is deleted soon.
const FIND_KEY = `
  SELECT c.email_key FROM contacts c CROSS JOIN contact_lists l ON l.n = c.list
   WHERE c.workspace = ?1 AND c.id = j.value->>'contact'`;

const REQUIRE_CONTACTS = `
  SELECT ${refuse(UNKNOWN, "unknown.item")} FROM (
    SELECT min(j.value->>'index') AS item FROM json_each(?2) j WHERE j.value->>'contact' IS NOT NULL AND NOT EXISTS (${FIND_KEY})) unknown
   WHERE unknown.item IS NOT NULL`;

const WAITING = "events wait";

// Workspaces have turns, so one whose first event has waited so long has sent more than the engine passes. Events that wait after a failure
// of their own do not count.
const REQUIRE_TURNS = `
  SELECT ${refuse(WAITING, "1")} WHERE (
    SELECT e.created_at FROM (SELECT * FROM unread_events WHERE workspace = ?1 ORDER BY n LIMIT 1000) u CROSS JOIN events e ON e.n = u.n
     WHERE u.not_before <= ?2 ORDER BY u.n LIMIT 1) < ?2 - ${eventLimits.waitMs}`;

// Data is JSON inside JSON, so that its text is kept.
const INSERT = `
  INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
  SELECT ?1, j.value->>'id', coalesce(j.value->>'key', (${FIND_KEY})), j.value->>'name', j.value->>'data', j.value->>'at', ?3
    FROM json_each(?2) j WHERE ${hasRoom("events", "?1")} ORDER BY j.key`;

/**
 * Stores an event of a person. Throws 404 for the contact, 422 for its time, 429 while earlier ones wait, ConcurrencyError as
 * `repeatableBatch` does.
 */
export async function sendEvent(ctx: CallerCtx, input: EventIn): Promise<EventSentOut> {
  const issue = timeIssue(input, ctx.now());
  if (issue) throw unprocessable([{ ...issue, loc: ["body", ...issue.loc] }]);
  const response = { id: ctx.newId() };
  try {
    await commit(ctx, [{ id: response.id, input }], response);
  } catch (error) {
    throw isUnknownContact(error) ? notFound("Contact") : error;
  }
  return response;
}

/** An item after the check of its form. `loc` of its errors begins with body and index. */
type Item = { input: EventIn } | { errors: ValidationError[] };

/** Stores events of persons, all or none. Throws 422 with the index of each item that is refused, ConcurrencyError as `sendEvent` does. */
export async function sendEvents(ctx: CallerCtx, items: readonly Item[]): Promise<EventBatchOut> {
  const now = ctx.now();
  const errors = items.flatMap((item, index): ValidationError[] => {
    if ("errors" in item) return item.errors;
    const issue = timeIssue(item.input, now);
    return issue ? [{ ...issue, loc: ["body", index, ...issue.loc] }] : [];
  });
  if (errors.length > 0) throw unprocessable(errors);
  const events = items.flatMap((item) => ("input" in item ? [{ id: ctx.newId(), input: item.input }] : []));
  const response = { total: events.length, ids: events.map(({ id }) => id) };
  try {
    await commit(ctx, events, response);
  } catch (error) {
    if (!isUnknownContact(error)) throw error;
    throw unprocessable([
      { loc: ["body", error.value, "contact_id"], msg: "The contact does not exist", type: "value_error" },
    ]);
  }
  return response;
}

const isUnknownContact = (error: unknown): error is RefusedBatchError =>
  error instanceof RefusedBatchError && error.reason === UNKNOWN;

/** Returns what is wrong with the time of an event, or null. Pure. */
function timeIssue({ occurred_at: at }: EventIn, now: number): ValidationError | null {
  const { futureMs, pastMs } = eventLimits;
  if (at === null || at === undefined) return null;
  const error = { loc: ["occurred_at"], type: "value_error" };
  if (at > now + futureMs) return { ...error, msg: `occurred_at is more than ${futureMs / 60_000} minutes ahead` };
  return at < now - pastMs ? { ...error, msg: `occurred_at is more than ${pastMs / 86_400_000} days ago` } : null;
}

interface NewEvent {
  id: string;
  input: EventIn;
}

/** Throws the 429 of a workspace whose events wait, or another refusal as it is. */
function toWaiting(error: RefusedBatchError): never {
  const text = "Events of this workspace have waited for ten minutes; retry in 60 seconds";
  throw error.reason === WAITING ? tooManyRequests(text, 60, formatPolicy(waitingPolicy)) : error;
}

/** Stores events and the response in one transaction, in one D1 call. Nothing is read before. */
async function commit(ctx: CallerCtx, events: readonly NewEvent[], response: object): Promise<void> {
  requireMailSpace(ctx);
  const results = await repeatableBatch(ctx, ctx.mail, [
    requireOpenStatement(ctx, ctx.workspace),
    ctx.mail.prepare(REQUIRE_TURNS).bind(ctx.workspace.number, ctx.now()),
    ...insertStatements(ctx, ctx.workspace.number, events),
    ...(await storeMailResponse(ctx, response)),
    ctx.mail.prepare(`SELECT ${recordsEventsSql("?1")} AS isWaiting`).bind(ctx.workspace.number),
  ]).catch(onError(RefusedBatchError, toWaiting));
  const [last] = (results?.at(-1)?.results ?? []) as { isWaiting: 0 | 1 }[];
  // Without an automation the event waits for nothing.
  if (last?.isWaiting !== 0) await wakeForNewEvents(ctx);
}

function insertStatements(ctx: MailCtx, workspace: number, events: readonly NewEvent[]): MailStatement[] {
  const now = ctx.now();
  const rows = events.map(({ id, input: { name, contact_id: contact, email: key, data, occurred_at: at } }, index) =>
    JSON.stringify({ index, id, contact, key, name, data: JSON.stringify(data), at: at ?? now }),
  );
  const named = events.some(({ input }) => (input.contact_id ?? null) !== null);
  return jsonChunks(rows).flatMap((chunk) => [
    ...(named ? [ctx.mail.prepare(REQUIRE_CONTACTS).bind(workspace, chunk)] : []),
    ctx.mail.prepare(INSERT).bind(workspace, chunk, now),
  ]);
}
