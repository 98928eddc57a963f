import type { MailCtx, MailStatement, MainStatement } from "../../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../../platform/db/batch.ts";
import type { EventEntry } from "../../../platform/db/email-json.ts";
import { storedKeySql } from "../../../platform/db/r2-keys.ts";
import { type RecipientEvent, recordEmailEventsStatements } from "../../../platform/person-events/email-events.ts";
import type { EmailEvent } from "../../../platform/person-events/rules.ts";
import { wakeForEvents } from "../../../platform/person-events/wake.ts";
import { recordEventsStatements } from "../../../platform/webhook-events/record.ts";
import { toWebhookEvents } from "../../../platform/webhook-events/rules.ts";
import { wakeForResults } from "../../../platform/webhook-events/wake.ts";
import {
  clearDomainFailuresStatements,
  domainFailureStatements,
  removeBouncesStatements,
  softBounceStatements,
  suppressStatement,
  type WorkspaceAddress,
} from "../../suppressions/index.ts";
import { hasPackedContentSql, type MovedContent } from "../content/index.ts";
import { DERIVED_MESSAGE_ID_SQL } from "../message-id.ts";
import { activityStatements } from "./activity.ts";
import { changeStatement } from "./changes.ts";
import { broadcastCountStatements } from "./count-broadcasts.ts";
import { type Fact, type MergeResult, mergeFacts } from "./merge.ts";
import { type Hit, mergeHits } from "./merge-hits.ts";
import { rollupStatements } from "./rollups.ts";
import { EMAIL_STATE_COLUMNS, type EmailState, type EmailStateRow, ERASED, recipientKey, toState } from "./state.ts";
import { toStoredEvents } from "./stored-events.ts";
import { writeSuppressions } from "./write-suppressions.ts";

/** Statements that run in the same transaction as the update of the emails. */
export interface AccompanyingStatements {
  /** Run before the update of `emails`: one with an outbox row of its own by then has left the row that it shared. */
  before: MailStatement[];
  after: MailStatement[];
}

/** Facts about one email, and the state they were derived from. */
export interface EmailUpdate {
  state: EmailState;
  facts: readonly Fact[];
  /** Opens and clicks of the email. */
  hits?: readonly Hit[];
  /** Number of the delivery attempt that produced the facts; 0 for feedback. */
  attempt: number;
  /** When its own outbox row is due, if the email stays queued, in milliseconds since 1970, or a function that returns it for the new state. */
  next?: number | ((state: EmailState) => number | undefined) | undefined;
  /** The place in R2 to which the content of the row was moved. */
  moved?: MovedContent | undefined;
}

/** Attempts to write before ConcurrencyError is thrown. Delivery and feedback of one email rarely meet more than twice. */
const MAX_TRIES = 8;

/**
 * Writes facts about emails in one transaction: states, events, change rows, roll-ups, and the statements that
 * `accompany` returns for the new states (it runs once per try). Suppressions are written to the main database before; a
 * crash between the two leaves suppressions that the next try writes again. An email that another run changed in the
 * meantime is read again and merged again, so no fact is lost or counted twice. Returns the new states in the order of
 * `updates`, and the results of the `after` statements. Throws ConcurrencyError after MAX_TRIES tries.
 */
export async function applyFacts(
  ctx: MailCtx,
  updates: readonly EmailUpdate[],
  accompany: (states: readonly EmailState[]) => AccompanyingStatements = () => ({ before: [], after: [] }),
): Promise<{ states: EmailState[]; results: D1Result[] }> {
  let current = updates;
  const ended: WorkspaceAddress[] = [];
  for (let tries = 1; ; tries++) {
    const merged = current.map(({ state, facts, attempt, hits = [], next, moved }) => ({
      ...setNextAttempt(mergeHits(mergeFacts(state, facts, attempt), hits), next),
      before: state,
      moved,
    }));
    const states = merged.map(({ state }) => state);
    const changed = merged.filter((result) => result.changed);
    const suppressions = [...removeBounces(ctx, changed), ...suppressStatements(ctx, changed)];
    const marks = await writeSuppressions(ctx, suppressions, changed, ended);
    const emailStatements = [...updateStatements(ctx, changed), ...broadcastCountStatements(ctx, changed)];
    const { before, after } = accompany(states);
    const webhooks = recordEventsStatements(ctx, changed.flatMap(toEvents));
    const ofPersons = recordEmailEventsStatements(ctx, changed.flatMap(toPersonEvents));
    const activity = activityStatements(ctx, changed);
    const all = [...before, ...emailStatements, ...after, ...marks, ...activity, ...webhooks, ...ofPersons];
    const end = all.length - ofPersons.length;
    try {
      const results = all.length > 0 ? await guardedBatch(ctx.mail, all) : [];
      await wakeForResults(ctx, results.slice(end - webhooks.length, end));
      await wakeForEvents(ctx, results.slice(end));
      return { states, results: results.slice(before.length + emailStatements.length) };
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || tries === MAX_TRIES) throw error;
      current = await reloadStates(ctx, current);
    }
  }
}

const toEvents = ({ before, state, added }: MergeResult & { before: EmailState }) =>
  toWebhookEvents(before, state, added);

const toPersonEvents = ({ before, state, added }: MergeResult & { before: EmailState }) =>
  toRecipientEvents(before, state, added);

/** Sets when the next attempt of a queued email is due. One that shares a row leaves it; one that an egress holds keeps its row. */
function setNextAttempt(merged: MergeResult, nextOf: EmailUpdate["next"]): MergeResult {
  const { state } = merged;
  const next = typeof nextOf === "function" ? nextOf(state) : nextOf;
  const isHeld = state.recipients.some((recipient) => recipient.state === "held");
  if (isHeld || next === undefined || state.status !== "queued") return merged;
  if (state.outboxId === null) return { ...merged, state: { ...state, dueAt: next } };
  const version = merged.changed ? state.version : state.version + 1;
  return { ...merged, changed: true, state: { ...state, dueAt: next, outboxId: null, version } };
}

async function reloadStates(ctx: MailCtx, updates: readonly EmailUpdate[]): Promise<EmailUpdate[]> {
  const sql = `SELECT ${EMAIL_STATE_COLUMNS} FROM emails e WHERE e.n IN (SELECT value FROM json_each(?1))`;
  const results = await ctx.mail.listRows<EmailStateRow>(sql, JSON.stringify(updates.map(({ state }) => state.n)));
  const rows = new Map(results.map((row) => [row.n, row]));
  return updates.flatMap((update) => {
    const row = rows.get(update.state.n);
    return row?.id === update.state.id ? [{ ...update, state: toState(row) }] : [];
  });
}

// A run that lost its lease inserts no outbox row, so the email keeps the one that it shares.
const HAS_OWN_ROW = "EXISTS (SELECT 1 FROM outbox o WHERE o.id = emails.id)";

// Content leaves the row only with a key: of this statement, or the one that the row has.
const IS_MOVED = `(j.value->>'$.moved.key' IS NOT NULL AND ${hasPackedContentSql("j.value->'moved'")})`;

const NEW_KEY = `CASE WHEN ${IS_MOVED} THEN j.value->>'$.moved.key' ELSE content_key END`;

// The row of a settled email stores less (message-id.ts, r2-keys.ts). A queued one keeps what an earlier version needs.
const IS_SETTLED = "j.value->>'status' <> 'queued'";

// Without MATERIALIZED SQLite reads the JSON once for every email that it joins. The id too, because a later email may get the
// number of a deleted one.
const UPDATE_EMAILS = `
  WITH j AS MATERIALIZED (SELECT value FROM json_each(?1))
  UPDATE emails SET status = j.value->>'status', recipients = j.value->>'recipients', events = j.value->>'events',
    attempts = j.value->>'attempts', version = j.value->>'version',
    outbox_id = CASE WHEN (${IS_SETTLED} AND NOT (j.value->>'isHeld')) OR ${HAS_OWN_ROW} THEN NULL ELSE outbox_id END,
    sent_at = j.value->>'sentAt', delivered_at = j.value->>'deliveredAt', opened_count = j.value->>'openedCount',
    clicked_count = j.value->>'clickedCount', hits = j.value->>'hits',
    message_id = CASE WHEN ${IS_SETTLED} AND message_id = ${DERIVED_MESSAGE_ID_SQL} THEN '' ELSE message_id END,
    content_key = CASE WHEN ${IS_SETTLED} THEN ${storedKeySql(`(${NEW_KEY})`)} ELSE ${NEW_KEY} END,
    content_offset = CASE WHEN ${IS_MOVED} THEN j.value->>'$.moved.offset' ELSE content_offset END,
    content_size = CASE WHEN ${IS_MOVED} THEN j.value->>'$.moved.size' ELSE content_size END,
    content = CASE WHEN ${IS_MOVED} OR (content_key IS NOT NULL AND ${IS_SETTLED}) THEN NULL ELSE content END
  FROM j WHERE emails.n = j.value->>'n' AND emails.id = j.value->>'id' AND emails.version = j.value->>'version' - 1`;

function updateStatements(
  ctx: MailCtx,
  merged: readonly (MergeResult & Pick<EmailUpdate, "moved">)[],
): MailStatement[] {
  if (merged.length === 0) return [];
  const rows = merged.map(({ state, moved }) => ({
    ...state,
    moved,
    isHeld: state.recipients.some((recipient) => recipient.state === "held"),
    recipients: JSON.stringify(state.recipients),
    events: JSON.stringify(toStoredEvents(state)),
    hits: state.hits.length > 0 ? JSON.stringify(state.hits) : null,
  }));
  const db = ctx.mail;
  const update = db.prepare(UPDATE_EMAILS).bind(JSON.stringify(rows));
  return [
    update,
    expectChanges(db, merged.length),
    changeStatement(
      ctx,
      merged.map(({ state }) => state),
    ),
    ...rollupStatements(ctx, merged),
  ];
}

function removeBounces(ctx: MailCtx, merged: readonly MergeResult[]): MainStatement[] {
  const entries = merged.flatMap(({ state, unsuppress }) =>
    unsuppress.map((email) => ({ workspace: state.workspace, email, before: state.retriedAt ?? 0 })),
  );
  return entries.length > 0 ? removeBouncesStatements(ctx, entries) : [];
}

function suppressStatements(ctx: MailCtx, merged: readonly MergeResult[]): MainStatement[] {
  const entries = merged.flatMap(({ state, suppress }) =>
    suppress.map(({ email, reason }) => ({ workspace: state.workspace, email, reason, emailId: state.id })),
  );
  const now = entries.flatMap(({ reason, ...entry }) => (reason === "domain-failure" ? [] : [{ ...entry, reason }]));
  const failed = entries.filter(({ reason }) => reason === "domain-failure");
  const confirmed = merged.flatMap(({ state, confirmed: emails }) =>
    emails.map((email) => ({ workspace: state.workspace, email })),
  );
  return [
    ...(now.length > 0 ? [suppressStatement(ctx, now)] : []),
    ...domainFailureStatements(ctx, failed),
    ...clearDomainFailuresStatements(ctx, confirmed),
    ...softBounceStatements(
      ctx,
      merged.flatMap(({ state: { workspace, id: emailId }, softBounces }) =>
        softBounces.map((fact) => ({ workspace, emailId, ...fact })),
      ),
    ),
  ];
}

/**
 * Returns the events of persons (docs/contract/events.md#emails) that a change of an email adds: deliveries, hard bounces, and the first
 * open and click of each recipient by a person. Pure.
 */
function toRecipientEvents(before: EmailState, state: EmailState, added: readonly EventEntry[]): RecipientEvent[] {
  const { workspace, id: emailId, broadcast = null } = state;
  return added.flatMap((event): RecipientEvent[] => {
    const name = nameOf(event);
    const recipient = recipientOf(state, event);
    const entry = state.recipients[recipient];
    if (name === null || entry === undefined || entry.email === ERASED) return [];
    const isRepeated = before.events.some(
      (earlier) => nameOf(earlier) === name && recipientOf(before, earlier) === recipient,
    );
    if (isRepeated) return [];
    const { url } = event.metadata ?? {};
    const target = name === "email.clicked" && typeof url === "string" ? { url } : {};
    return [{ workspace, emailId, broadcast, name, recipient, emailKey: recipientKey(entry), at: event.at, ...target }];
  });
}

/** Returns the name of the event of persons for an event of an email, or null. A hit by a machine is none. */
function nameOf({ type, metadata = {} }: EventEntry): EmailEvent | null {
  if (type === "delivered") return "email.delivered";
  if (type === "bounced") return metadata.bounce_type === "soft" ? null : "email.bounced";
  if (metadata.machine === true) return null;
  if (type === "open") return "email.opened";
  return type === "click" ? "email.clicked" : null;
}

/** Returns the position of the recipient of an event; -1 when several got the same message and it does not tell which. */
function recipientOf({ recipients }: EmailState, { metadata = {} }: EventEntry): number {
  if (metadata.recipient === undefined) return recipients.length === 1 ? 0 : -1;
  return recipients.findIndex(({ email }) => email === metadata.recipient);
}
