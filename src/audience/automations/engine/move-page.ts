import { partition } from "../../../lib/partition.ts";
import { iso } from "../../../lib/time.ts";
import { dailyKey, notifyOwners } from "../../../notices/notifications/index.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { hasWorkLeft } from "../../../platform/db/count-statements.ts";
import { wakeForResults, wakeWebhooks } from "../../../platform/webhook-events/wake.ts";
import { advance, type Effect, type Entered, isInMain, type Move } from "../advance.ts";
import { pauseStatements } from "../pause-statements.ts";
import { findVersions, type Version } from "../versions.ts";
import { runEndedStatements } from "../webhook-events.ts";
import { applyInMain, choosePage, type PendingEffect, type Prepared, prepareEffects } from "./effects.ts";
import { readFacts } from "./facts.ts";
import { type EngineLease, renewStatements } from "./lease.ts";
import { type DueRun, type PlaceOfPage, readDue } from "./read-due.ts";
import { type Moved, moveStatements } from "./save.ts";
import { findWorkspaces, type WorkspaceState } from "./workspaces.ts";

/**
 * Moves a page of runs that are due. What their steps do in this mail database is written in the transaction that moves them; what they
 * do in the main one is written before it, by runs that have begun the step, and is repeated without effect when this is killed
 * between. Throws ConcurrencyError when the lease was lost or a run was changed meanwhile: nothing of the page has moved then. `hasMore`: other runs were due.
 */
export async function movePage(ctx: MailCtx, lease: EngineLease, place: PlaceOfPage) {
  const page = await readDue(ctx, lease, place);
  if (page.runs.length === 0) return { moved: 0, hasMore: page.hasMore };
  const workspaces = await findWorkspaces(ctx, page.runs);
  const numbers = page.runs.map(({ version }) => version);
  const versions = await findVersions(ctx, numbers);
  // The purge of a workspace deletes its runs.
  const isGoing = ({ status, workspace }: DueRun) => status === "active" && workspaces.has(workspace);
  const [going, held] = partition(page.runs, isGoing);
  const decided = await decide(ctx, going, versions, workspaces, page.mark);
  const plain = decided.filter(({ effect }) => effect === null).map(({ moved }) => moved);
  const chosen = choosePage(decided.flatMap(({ effect }) => effect ?? []));
  const movedOf = new Map(decided.map(({ moved }) => [moved.due.n, moved]));
  const [inMain, inMail] = partition(chosen, ({ effect: { step } }) => isInMain(step));
  const prepared = [await applyInMain(ctx, inMain), await prepareEffects(ctx, inMail)];
  const results = withOutcomes(chosen, movedOf, prepared);
  const moved = [...plain, ...held.map(toHeld), ...results.moved];
  await write(ctx, lease, { moved, prepared, paused: results.paused });
  return { moved: moved.length, hasMore: page.hasMore || chosen.length < decided.length - plain.length };
}

type Decided = { moved: Moved; effect: PendingEffect | null };

async function decide(
  ctx: MailCtx,
  runs: readonly DueRun[],
  versions: ReadonlyMap<number, Version>,
  workspaces: ReadonlyMap<number, WorkspaceState>,
  mark: number,
): Promise<Decided[]> {
  const facts = await readFacts(ctx, runs, versions, workspaces);
  const now = ctx.now();
  return runs.flatMap((due, index): Decided[] => {
    const [version, own, workspace] = [versions.get(due.version), facts.get(due.n), workspaces.get(due.workspace)];
    if (!version || !workspace) throw new Error(`the run ${due.run.id} has no version`);
    // Without facts the work of the invocation was used up: the run is due still.
    if (!own || (index > 0 && !hasWorkLeft(ctx))) return [];
    const move = advance(due.run, version.nodes, { ...own.facts, now });
    const { person } = own.facts;
    const isReadOn = own.readUpTo !== null && move.effect === null && move.run.wait !== null;
    const moved: Moved = {
      due,
      move: isReadOn ? { ...move, dueAt: now } : move,
      mark: isReadOn ? (own.readUpTo ?? mark) : mark,
    };
    if (move.effect === null) return [{ moved, effect: null }];
    // A step that was begun may be done: it is repeated, also when the person has left since.
    const someone = person ?? { key: due.key, contacts: [], activity: {}, broadcasts: new Set(), topics: new Set() };
    // The kind of the step is that of the effect.
    const effect = { due, effect: move.effect, workspace, version, person: someone } as PendingEffect;
    return [{ moved, effect }];
  });
}

/** Adds to each move what became of its effect. A step that can do nothing pauses its automation. */
function withOutcomes(
  chosen: readonly PendingEffect[],
  movedOf: ReadonlyMap<number, Moved>,
  prepared: readonly Prepared[],
): { moved: Moved[]; paused: PausedAutomation[] } {
  const moved: Moved[] = [];
  const paused = new Map<number, PausedAutomation>();
  for (const { due, effect, workspace } of chosen) {
    const own = movedOf.get(due.n);
    const outcome = prepared.map(({ outcomes }) => outcomes.get(due.n)).find((one) => one !== undefined);
    if (!own || !outcome) continue;
    if (outcome.kind === "pause") {
      paused.set(due.automation, { n: due.automation, id: due.automationId, workspace, reason: outcome.reason });
      moved.push(toHeld(due));
    } else if (outcome.kind === "later") {
      const text = `${outcome.text} Tries again at ${iso(outcome.at)}.`;
      moved.push({ ...own, move: toStay(due, outcome.at, [{ at: effect.at, step: effect.path, text }]) });
    } else {
      moved.push({ ...own, move: told(own.move, effect, outcome.text) });
    }
  }
  return { moved, paused: [...paused.values()] };
}

/** Puts what a step did between what the run did before it and behind it. */
function told(move: Move, { path: step, at, line }: Effect, text: string): Move {
  return { ...move, history: move.history.toSpliced(line, 0, { at, step, text }) };
}

/** Returns a run that stays where it is: until a time, or while its automation is not active. */
function toStay(due: DueRun, dueAt: number, history: Entered[] = []): Move {
  return { run: due.run, status: "active", dueAt, effect: null, history, entered: [] };
}

const toHeld = (due: DueRun): Moved => ({ due, move: toStay(due, due.dueAt), mark: due.mark, isHeld: true });

async function write(
  ctx: MailCtx,
  lease: EngineLease,
  { moved, prepared, paused }: { moved: Moved[]; prepared: readonly Prepared[]; paused: readonly PausedAutomation[] },
): Promise<void> {
  if (moved.length === 0) return;
  // First, so that a crash between the two repeats it.
  await notifyOfPauses(ctx, paused);
  const ends = moved.flatMap(({ due, move: { status } }) => (status === "active" ? [] : [{ n: due.n, status }]));
  const ended = runEndedStatements(ctx, ends);
  const results = await guardedBatch(ctx.mail, [
    ...ended,
    ...renewStatements(ctx, lease),
    ...moveStatements(ctx, moved),
    ...prepared.flatMap(({ statements }) => statements),
    ...paused.flatMap(({ n, workspace, reason }) => pauseStatements(ctx, { workspace: workspace.number, n }, reason)),
  ]);
  await wakeForResults(ctx, results.slice(0, ended.length));
  if (paused.length > 0) await wakeWebhooks(ctx);
  for (const wake of prepared.flatMap(({ wake: each }) => each)) await wake();
}

/** An automation that the service pauses, since a step can do nothing. */
interface PausedAutomation {
  n: number;
  id: string;
  workspace: WorkspaceState;
  reason: string;
}

/** Notifies the owners of automations that are paused, once a day for each. At most one for each target of a page. */
async function notifyOfPauses(ctx: MailCtx, paused: readonly PausedAutomation[]): Promise<void> {
  for (const { id, workspace, reason } of paused)
    await notifyOwners(ctx, workspace.number, {
      category: "alerts",
      severity: "error",
      href: `/automations/${id}`,
      title: "An automation was paused, since one of its steps cannot be done",
      body: `${reason} Its runs go on when you mend that and activate it again.`,
      key: dailyKey(`automation-paused ${id}`, ctx.now()),
    });
}
