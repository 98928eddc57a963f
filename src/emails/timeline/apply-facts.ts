import type { Ctx } from "../../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../db/batch.ts";
import { mailDb } from "../../db/client.ts";
import { suppressStatement } from "../../suppressions/index.ts";
import { changeStatement } from "./changes.ts";
import { type Fact, type Merged, mergeFacts, newTally, type Tally, tallied } from "./merge.ts";
import { type Hit, mergeHits } from "./merge-hits.ts";
import { EMAIL_STATE_COLUMNS, type EmailState, type EmailStateRow, toState } from "./state.ts";

/** Statements that go with the writing of some states, in the same transaction. */
export interface AccompanyingStatements {
  /** Before the emails: a state that stays queued takes its `next` only if a row of the outbox stands there by then. */
  before: D1PreparedStatement[];
  after: D1PreparedStatement[];
}

/** Facts about one email, with the state they were decided on. */
export interface EmailUpdate {
  state: EmailState;
  facts: readonly Fact[];
  /** Its opens and clicks. */
  hits?: readonly Hit[];
  /** Number of the delivery attempt behind the facts; 0 for feedback. */
  attempt: number;
  /** When the email stays queued: where its next outbox row stands. */
  next?: { dueAt: number; outboxId: string | null };
}

/** Races lost in a row before a flush is given up: far above what feedback and delivery can do to each other. */
const TRIES = 8;

/**
 * Writes what became known about some emails in one transaction: states, events, change rows, roll-ups, and
 * whatever `also` adds for the states that result (it is called once a try). An email that somebody else
 * changed meanwhile is read again and merged anew, so no fact is lost and none counts twice. Answers the new
 * states in the order of the reports, and the results of what `also` put behind.
 */
export async function applyFacts(
  ctx: Ctx,
  reports: readonly EmailUpdate[],
  also: (states: readonly EmailState[]) => AccompanyingStatements = () => ({ before: [], after: [] }),
): Promise<{ states: EmailState[]; results: D1Result[] }> {
  let current = reports;
  for (let tries = 1; ; tries++) {
    const merged = current.map(({ state, facts, attempt, hits = [], next }) =>
      setNextAttempt(mergeHits(mergeFacts(state, facts, attempt), hits), next),
    );
    const states = merged.map(({ state }) => state);
    const own = statements(
      ctx,
      merged.filter(({ changed }) => changed),
    );
    const { before, after } = also(states);
    const all = [...before, ...own, ...after];
    try {
      const results = all.length > 0 ? await guardedBatch(mailDb(ctx), all) : [];
      return { states, results: results.slice(before.length + own.length) };
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || tries === TRIES) throw error;
      current = await readAgain(ctx, current);
    }
  }
}

/** A queued email knows where its outbox row stands; a settled one has none. */
function setNextAttempt(merged: Merged, next: EmailUpdate["next"]): Merged {
  const queued = merged.state.status === "queued";
  const dueAt = queued ? (next?.dueAt ?? merged.state.dueAt) : null;
  const outboxId = queued && next ? next.outboxId : merged.state.outboxId;
  const moved = dueAt !== merged.state.dueAt || outboxId !== merged.state.outboxId;
  if (!moved) return merged;
  const version = merged.changed ? merged.state.version : merged.state.version + 1;
  return { ...merged, changed: true, state: { ...merged.state, dueAt, outboxId, version } };
}

async function readAgain(ctx: Ctx, reports: readonly EmailUpdate[]): Promise<EmailUpdate[]> {
  const { results } = await mailDb(ctx)
    .prepare(`SELECT ${EMAIL_STATE_COLUMNS} FROM emails e WHERE e.n IN (SELECT value FROM json_each(?1))`)
    .bind(JSON.stringify(reports.map(({ state }) => state.n)))
    .all<EmailStateRow>();
  const rows = new Map(results.map((row) => [row.n, row]));
  return reports.flatMap((report) => {
    const row = rows.get(report.state.n);
    return row ? [{ ...report, state: toState(row) }] : [];
  });
}

// A run that lost its lease writes no row for later, and must not say that there is one.
const NEXT_ROW_EXISTS = "EXISTS (SELECT 1 FROM outbox o WHERE o.due_at = j.value->>'dueAt' AND o.id = emails.id)";

// One source row for each target row; MATERIALIZED keeps the join from reading the table for every pair.
const UPDATE_EMAILS = `
  WITH j AS MATERIALIZED (SELECT value FROM json_each(?1))
  UPDATE emails SET status = j.value->>'status', recipients = j.value->>'recipients', events = j.value->>'events',
    attempts = j.value->>'attempts', version = j.value->>'version',
    due_at = CASE WHEN j.value->>'status' <> 'queued' THEN NULL WHEN ${NEXT_ROW_EXISTS} THEN j.value->>'dueAt' ELSE due_at END,
    outbox_id = CASE WHEN ${NEXT_ROW_EXISTS} THEN j.value->>'outboxId' ELSE outbox_id END,
    sent_at = j.value->>'sentAt', delivered_at = j.value->>'deliveredAt', opened_count = j.value->>'openedCount',
    clicked_count = j.value->>'clickedCount', hits = j.value->>'hits',
    content = CASE WHEN j.value->>'status' = 'queued' THEN content END
  FROM j WHERE emails.n = j.value->>'n' AND emails.version = j.value->>'version' - 1`;

const ADD_TALLIES = `
  INSERT INTO rollups_hourly (workspace, hour, domain, sent, delivered, bounced, failed, opens, clicks)
  SELECT value->>'workspace', ?2, value->>'domain', value->>'sent', value->>'delivered', value->>'bounced', value->>'failed',
    value->>'opens', value->>'clicks'
    FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET sent = sent + excluded.sent, delivered = delivered + excluded.delivered,
    bounced = bounced + excluded.bounced, failed = failed + excluded.failed, opens = opens + excluded.opens,
    clicks = clicks + excluded.clicks`;

function statements(ctx: Ctx, merged: readonly Merged[]): D1PreparedStatement[] {
  if (merged.length === 0) return [];
  const rows = merged.map(({ state }) => ({
    ...state,
    recipients: JSON.stringify(state.recipients),
    events: JSON.stringify(state.events),
    hits: state.hits.length > 0 ? JSON.stringify(state.hits) : null,
  }));
  const update = ctx.db.prepare(UPDATE_EMAILS).bind(JSON.stringify(rows));
  const tallies = sumTallies(merged);
  const idsOf = Map.groupBy(merged, ({ state }) => state.workspace);
  return [
    update,
    expectChanges(ctx.db, merged.length),
    ...[...idsOf].map(([workspace, some]) =>
      changeStatement(ctx, workspace, JSON.stringify(some.map(({ state }) => state.id))),
    ),
    ...(tallies.length > 0
      ? [ctx.db.prepare(ADD_TALLIES).bind(JSON.stringify(tallies), Math.floor(ctx.now() / 3_600_000))]
      : []),
    ...suppressStatements(ctx, merged),
  ];
}

function suppressStatements(ctx: Ctx, merged: readonly Merged[]): D1PreparedStatement[] {
  const entries = merged.flatMap(({ state, suppress }) =>
    suppress.map((entry) => ({ ...entry, workspace: state.workspace })),
  );
  return entries.length > 0 ? [suppressStatement(ctx, entries)] : [];
}

/** One row for each workspace and domain of the flush. */
function sumTallies(merged: readonly Merged[]): (Tally & { workspace: number })[] {
  const sums = new Map<string, Tally & { workspace: number }>();
  for (const { state, tallies } of merged) {
    for (const { domain, ...add } of tallies) {
      const key = `${state.workspace} ${domain}`;
      const sum = sums.get(key) ?? { workspace: state.workspace, ...newTally(domain) };
      for (const field of tallied) sum[field] += add[field];
      sums.set(key, sum);
    }
  }
  return [...sums.values()];
}
