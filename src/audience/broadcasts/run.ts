import { onError } from "../../lib/errors.ts";
import { parsingWork } from "../../lib/liquid/meter.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import { nextTurn } from "../../lib/yielding-steps.ts";
import { notifyOwners } from "../../notices/notifications/index.ts";
import type { MailCtx, WakeUp } from "../../platform/context.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import { mayExecute, spendWork } from "../../platform/db/count-statements.ts";
import { hasMailSpace } from "../../platform/jobs/shard-sizes.ts";
import { consumeRows } from "../../platform/outbox/consume-rows.ts";
import { LOW_PRIORITY_RUNS } from "../../platform/outbox/rules.ts";
import { resetAt, toDailyLimitError } from "../../platform/rate-limits/daily-emails.ts";
import { PAUSE_WAIT_MS } from "../../sending/delivery/index.ts";
import { hasLists } from "./check-start.ts";
import { frozenParts, storeContents, toContents, toStored } from "./contents.ts";
import {
  CONTACTS_PER_PAGE,
  type ContactPage,
  type CreatedEmails,
  createEmails,
  saveStatement,
} from "./create-emails.ts";
import { type FanOut, isStoringMembers, neededLists } from "./fan-out.ts";
import { startOf } from "./local-times.ts";
import { deleteMembers, storeMembers } from "./members.ts";
import { planAudience } from "./plan-audience.ts";
import { type Broadcast, findBroadcast } from "./queries.ts";
import { sampleIssue } from "./split.ts";
import { autoPromoteAt, promoteDue, startDue } from "./start.ts";
import { findVariants, type VariantRow } from "./variants/queries.ts";
import { findWorkspaceState, type WorkspaceState } from "./workspace-state.ts";

/** A run starts no further page after this many milliseconds: half a lease. */
const RUN_MS = 60_000;
/** Pages of one run: each makes three of the 1,000 D1 queries of an invocation. */
const RUN_PAGES = 200;
/** D1 statements of one page at most, and of the reads before it. */
const PAGE_STATEMENTS = 40;
/** D1 statements for the plan of an audience of 500,000 contacts: three for each 5,000. */
const PLAN_STATEMENTS = 300;
/** Shortest and longest time between two looks at a phase whose emails are being delivered, in milliseconds. */
const POLL_MS = { min: 1_000, max: 60_000 };
/** Time between two looks whether a full database has space again; cron measures it each minute. In milliseconds. */
const FULL_CHECK_MS = 60_000;
/** Time between two looks whether the operator has raised a daily limit that was reached, in milliseconds. */
const LIMIT_CHECK_MS = 3_600_000;
/** Emails that are delivered about as fast as one look follows another. */
const EMAILS_PER_POLL_MS = 0.5;

/**
 * Processes the outbox rows of broadcasts: starts those that are due, makes their emails page by page, and ends a phase
 * whose emails had their first attempt. What is done next follows from the row of the broadcast, so a run may be killed
 * at any point, and two runs disturb each other only in that one of them is rolled back.
 */
export async function runBroadcasts(ctx: MailCtx, wakeUps: readonly WakeUp[]): Promise<void> {
  await consumeRows(ctx, wakeUps, async ({ ref }) => {
    const [n = 0] = JSON.parse(ref) as number[];
    const nextAt = await advance(ctx, n);
    return nextAt === null ? "done" : { dueAt: nextAt, wakes: true };
  });
}

/** Advances a broadcast as far as one run may. Returns when to continue, or null when nothing is left to do. */
async function advance(ctx: MailCtx, n: number): Promise<number | null> {
  const started = ctx.now();
  let workspace: WorkspaceState | null = null;
  for (let step = 0; step < RUN_PAGES && ctx.now() - started < RUN_MS && mayExecute(ctx, PAGE_STATEMENTS); step++) {
    const broadcast = await findBroadcast(ctx, n);
    if (broadcast === null) {
      await wakeLowPriority(ctx);
      return null;
    }
    const { row, fanOut } = broadcast;
    workspace ??= await findWorkspaceState(ctx, row);
    if (workspace === null) return null;
    if (row.status === "scheduled") {
      const startsAt = startOf(row, workspace.timeZone);
      if (startsAt === null) return null;
      // A message may come early, by the clock of another machine.
      if (startsAt > ctx.now()) return startsAt;
      const nextAt = await startDue(ctx, broadcast, workspace);
      if (nextAt !== null) return nextAt;
    } else if (row.status === "sent" && fanOut !== null && autoPromoteAt(broadcast) !== null) {
      const at = autoPromoteAt(broadcast) ?? 0;
      if (at > ctx.now()) return at;
      const nextAt = await promoteDue(ctx, { ...broadcast, fanOut }, workspace);
      if (nextAt !== 0) return nextAt;
    } else if (row.status !== "sending" || fanOut === null) {
      if (row.status !== "cancelled") return null;
      await wakeLowPriority(ctx);
      return (await deleteMembers(ctx, broadcast)) ? null : ctx.now();
    } else if (!(await hasLists(ctx, neededLists(fanOut)))) {
      return cancelWith(ctx, broadcast, WITHOUT_LIST);
    } else if (workspace.isTopicDeleted) {
      return cancelWith(ctx, broadcast, WITHOUT_TOPIC);
    } else if (fanOut.isComplete) {
      return endPhase(ctx, broadcast);
    } else if (workspace.isPaused) {
      return ctx.now() + PAUSE_WAIT_MS;
    } else if (isStoringMembers(fanOut)) {
      const issue = await storeMembers(ctx, broadcast, fanOut, started + RUN_MS);
      if (issue !== null) return cancelWith(ctx, broadcast, issue);
    } else if (fanOut.split === null && !mayExecute(ctx, PLAN_STATEMENTS)) {
      return ctx.now();
    } else {
      const hasSpace = hasMailSpace(ctx, workspace) && !workspace.isOverContent;
      const { size, isLimited, issue } = hasSpace
        ? await fanOutContacts(ctx, broadcast, fanOut, workspace, started)
        : { size: workspace.mailSize, isLimited: false };
      if (issue !== undefined) return cancelWith(ctx, broadcast, issue);
      if (isLimited) return Math.min(resetAt(ctx.now()), ctx.now() + LIMIT_CHECK_MS);
      if (!hasSpace || !hasMailSpace(ctx, { ...workspace, mailSize: size })) return ctx.now() + FULL_CHECK_MS;
    }
  }
  return ctx.now();
}

/**
 * Plans the audience when that was not done, then makes emails, page after page of contacts, until the phase is complete, the
 * database is too full for new emails, or the daily limit of the workspace is reached. Returns the size of the database after
 * the last page, in bytes (0 when there was none), whether the limit is reached, and why the content cannot be rendered, if that is so.
 * Gives way to requests before each page.
 */
async function fanOutContacts(
  ctx: MailCtx,
  { row }: Broadcast,
  fanOut: FanOut,
  workspace: WorkspaceState,
  started: number,
): Promise<{ size: number; isLimited: boolean; issue?: string }> {
  const variants = await findVariants(ctx, row.n);
  const contents = await readContents(ctx, row, variants);
  if ("issue" in contents) return { size: 0, isLimited: false, ...contents };
  let current = { ...row };
  let state = fanOut;
  let size = 0;
  try {
    if (state.split === null) {
      state = await planAudience(ctx, row, fanOut, variants);
      const issue = sampleIssueOf(state, row, variants);
      if (issue !== null) return { size, isLimited: false, issue };
      const { meta } = await saveStatement(ctx, current, state).run();
      if (meta.changes === 0) return { size, isLimited: false };
      current = { ...current, fan_out_step: current.fan_out_step + 1 };
    }
    // At the start of each phase: retention deletes them with the last email of the phase before.
    if (state.cursor === null) await storeContents(ctx, workspace.id, row.id, contents);
    const stored = toStored(workspace.id, row.id, contents);
    spendWork(ctx, parsingWork(stored.reduce((sum, { contentSize }) => sum + contentSize, 0)));
    for (let page = 0; page < RUN_PAGES && !state.isComplete && ctx.now() - started < RUN_MS; page++) {
      if (!mayExecute(ctx, PAGE_STATEMENTS)) break;
      await nextTurn();
      const next = { workspace, row: current, fanOut: state, contents: stored, contacts: CONTACTS_PER_PAGE };
      const created = await createAllowed(ctx, next);
      if (created === null) return { size, isLimited: true };
      state = created.fanOut;
      size = created.size;
      current = { ...current, fan_out_step: current.fan_out_step + 1 };
      // More runs than these would take the queue from other mail.
      if (page < LOW_PRIORITY_RUNS && created.emails > 0) await wakeLowPriority(ctx);
      if (!hasMailSpace(ctx, { ...workspace, mailSize: size })) break;
    }
  } catch (error) {
    // Another run was first, or the broadcast was cancelled: its row says what to do.
    if (!(error instanceof ConcurrencyError)) throw error;
  }
  return { size, isLimited: false };
}

/** Returns why the sample of a segment is too small for its variants, or null. That of lists is checked before the send. */
function sampleIssueOf(
  { segment, split }: FanOut,
  { ab_test_pct: pct }: Broadcast["row"],
  variants: readonly VariantRow[],
) {
  const isSample = segment !== undefined && split !== null && pct !== null && variants.length >= 2;
  const issue = isSample ? sampleIssue(split.eligible, pct, variants) : null;
  return issue && `${issue}.`;
}

/** Returns the contents, or why they cannot be rendered: a template that they name was deleted since the send. */
const readContents = (ctx: MailCtx, row: Broadcast["row"], variants: readonly VariantRow[]) =>
  frozenParts(ctx, row, variants)
    .then((parts) => toContents(row, variants, parts))
    .catch(onError(LiquidTextError, ({ message }) => ({ issue: `Its content cannot be rendered: ${message}.` })));

/** Makes the emails of a page, as far as the daily limit allows. Without any, notifies the owners once a day and returns null. */
async function createAllowed(ctx: MailCtx, page: ContactPage): Promise<CreatedEmails | null> {
  try {
    return await createEmails(ctx, page);
  } catch (error) {
    const { workspace, row, contacts } = page;
    const limited = await toDailyLimitError(ctx, workspace, error);
    if (!limited) throw error;
    // A second refusal of a smaller page: other emails were accepted meanwhile.
    if (limited.left > 0 && contacts === CONTACTS_PER_PAGE)
      return createAllowed(ctx, { ...page, contacts: Math.min(limited.left, CONTACTS_PER_PAGE - 1) });
    await notifyOwners(ctx, row.workspace, {
      category: "alerts",
      severity: "warning",
      href: "/broadcasts",
      title: "A broadcast waits, since the daily limit of emails is reached",
      body: limited.error.message,
      key: `daily-limit ${resetAt(ctx.now())}`,
    });
    return null;
  }
}

const CANCEL = `
  UPDATE broadcasts SET status = 'cancelled', version = version + 1, paused_at = NULL, updated_at = ?2
   WHERE n = ?1 AND status = 'sending'`;

const WITHOUT_LIST = "Its contact list was deleted while it was sending. Emails that had left by then are delivered.";

const WITHOUT_TOPIC = "Its topic was deleted while it was sending. Emails that had left by then are delivered.";

/** Cancels a broadcast that cannot go on while it is sending: its waiting emails are cancelled at dispatch. */
async function cancelWith(ctx: MailCtx, { row }: Broadcast, body: string): Promise<number | null> {
  // First, so that a crash between the two repeats it.
  if (row.bulk_tags === null)
    await notifyOwners(ctx, row.workspace, {
      category: "sends",
      severity: "warning",
      href: `/broadcasts/${row.id}`,
      title: `The broadcast ${row.name} was cancelled`,
      body,
      key: `broadcast-without-list ${row.id}`,
    });
  await ctx.mail.execute(CANCEL, row.n, ctx.now());
  await wakeLowPriority(ctx);
  // The next step deletes its members.
  return row.segment_id === null ? null : ctx.now();
}

const COMPLETE = `
  UPDATE broadcasts SET status = 'sent', version = version + 1, sent_at = coalesce(sent_at, ?3), updated_at = ?3
   WHERE n = ?1 AND fan_out_step = ?2 AND status = 'sending'`;

const NEXT_DUE = "SELECT min(due_at) AS due_at FROM outbox WHERE broadcast = ?1";

/**
 * Makes a broadcast `sent` when every email of its phase had its first attempt or was skipped
 * (docs/contract/broadcasts.md#broadcast-statuses). Otherwise returns when to look again, sooner when few are left.
 */
async function endPhase(ctx: MailCtx, { row, fanOut, counts }: Broadcast): Promise<number | null> {
  const left = counts.queued - counts.attempted;
  if (left <= 0) {
    if (!(await deleteMembers(ctx, { row, fanOut }))) return ctx.now();
    // First, so that a crash between the two repeats it. A bulk send is no broadcast of the workspace's list.
    if (row.bulk_tags === null) await notifyOwners(ctx, row.workspace, sentNotice(row, counts));
    await ctx.mail.execute(COMPLETE, row.n, row.fan_out_step, ctx.now());
    return autoPromoteAt({ row: { ...row, status: "sent", sent_at: row.sent_at ?? ctx.now() }, fanOut });
  }
  await wakeLowPriority(ctx);
  const dueAt = row.local_time_field !== null ? await ctx.mail.findValue<number>(NEXT_DUE, row.n) : null;
  if (dueAt !== null && dueAt > ctx.now()) return dueAt;
  return ctx.now() + Math.min(POLL_MS.max, Math.max(POLL_MS.min, left / EMAILS_PER_POLL_MS));
}

function sentNotice({ id, name, fan_out_step }: Broadcast["row"], { queued, delivered, bounced }: Broadcast["counts"]) {
  return {
    category: "sends" as const,
    severity: "success" as const,
    href: `/broadcasts/${id}`,
    title: `The broadcast ${name} was sent`,
    body: `${queued} emails were made. So far ${delivered} were delivered and ${bounced} have bounced.`,
    key: `broadcast-sent ${id} ${fan_out_step}`,
  };
}

/** Starts a run that delivers the rows of broadcasts. The wake-up names no row, because a run finds them itself. */
const wakeLowPriority = (ctx: MailCtx) => ctx.wake([{ dueAt: ctx.now(), id: ctx.newId(), kind: "bulk" }]);
