import { onError } from "../../lib/errors.ts";
import type { Ctx, Database, DatabaseKind, MailCtx } from "../../platform/context.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import type { erasures } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { reloadErasedKey } from "../../platform/erased-addresses/key.ts";
import { responsePrefixes } from "../../platform/idempotency/large-responses.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { deleteWaitingEvents } from "../../platform/person-events/main-events.ts";
import { type ErasedPerson, eraseEmails, Scrubber } from "../../sending/emails/index.ts";
import { keepErasedStatements } from "../../sending/suppressions/index.ts";
import { scrubClicks } from "./broadcast-clicks.ts";
import { deleteObjects } from "./objects.ts";
import { deletePersonRows, deleteResponses, type StepResult, scrubTexts } from "./person-rows.ts";
import { EVENT_ROWS, MAIL_ROWS, MAIL_TEXTS, MAIN_ROWS, MAIN_TEXTS } from "./person-tables.ts";

/** The step at which an erasure continues: the stage, and the position in it. */
interface Progress {
  stage: number;
  /** Where the stage continues. Null: at its start. */
  after: unknown;
}

const FIND = `
  SELECT e.email, e.progress, e.removed, w.id AS workspace_id FROM erasures e JOIN workspaces w ON w.number = e.workspace
   WHERE e.workspace = ?1 AND e.id = ?2 AND e.finished_at IS NULL`;

// Another run of the same step has written the same.
const SAVE = "UPDATE erasures SET progress = ?3, removed = ?4 WHERE workspace = ?1 AND id = ?2 AND finished_at IS NULL";
const FINISH = `
  UPDATE erasures SET email = NULL, progress = '{}', removed = ?3, finished_at = ?4
   WHERE workspace = ?1 AND id = ?2 AND finished_at IS NULL`;

type Stage = (person: ErasedPerson, after: unknown) => Promise<StepResult>;

/** Runs one step of the erasure of a person and stores where the next continues. Safe to repeat. Returns true when it is finished. */
export async function erasePerson(ctx: Ctx, { erasure: id, of }: { erasure: string; of: number }): Promise<boolean> {
  // Its hashes stay: one under a key that a restored backup has replaced would never be found.
  await reloadErasedKey(ctx);
  type Found = StoredColumns<typeof erasures, "email" | "progress" | "removed"> & { workspace_id: string };
  const row = await ctx.db.findRow<Found>(FIND, of, id);
  if (row === null || row.email === null) return true;
  const person = { workspace: of, workspaceId: row.workspace_id, key: row.email };
  const { stage = 0, after = null } = JSON.parse(row.progress) as Partial<Progress>;
  const mailCtx = await onShardOf(ctx, of);
  const stages = [...(mailCtx ? mailStages(mailCtx) : []), ...mainStages(ctx)];
  const step = await runStage(stages[stage], person, after);
  const removed = addCounts(JSON.parse(row.removed) as Record<string, number>, step.removed);
  const next: Progress = step.next ? { stage, after: step.next.after } : { stage: stage + 1, after: null };
  if (next.stage >= stages.length) {
    await ctx.db.execute(FINISH, of, id, JSON.stringify(removed), ctx.now());
    return true;
  }
  await ctx.db.execute(SAVE, of, id, JSON.stringify(next), JSON.stringify(removed));
  return false;
}

async function runStage(stage: Stage | undefined, person: ErasedPerson, after: unknown): Promise<StepResult> {
  if (!stage) return { next: null, removed: {} };
  // An email or an object changed meanwhile: the next step reads it again.
  return stage(person, after).catch(onError(ConcurrencyError, () => ({ next: { after }, removed: {} })));
}

function addCounts(before: Record<string, number>, added: Record<string, number>): Record<string, number> {
  const sums = { ...before };
  for (const [kind, count] of Object.entries(added)) if (count > 0) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

// Contacts first, so that no broadcast makes an email from them after the emails were erased.
const mailStages = (ctx: MailCtx): Stage[] => [
  async ({ workspace, key }) => {
    await deleteWaitingEvents(ctx, workspace, key);
    return { next: null, removed: {} };
  },
  (person) => deletePersonRows(ctx.mail, MAIL_ROWS, person),
  async (person, after) => {
    const { next, erased, cancelled } = await eraseEmails(ctx, person, after as number | null);
    return { next: next && { after: next.before }, removed: { emails: erased, cancelled_emails: cancelled } };
  },
  // An open that came before its email was erased.
  (person) => deletePersonRows(ctx.mail, EVENT_ROWS, person),
  (person, after) => scrubClicks(ctx, person, after),
  ...textStages(ctx.mail, MAIL_TEXTS),
  (person, after) => deleteResponses(ctx.mail, person, after, ctx.now()),
];

const mainStages = (ctx: Ctx): Stage[] => [
  (person) => deletePersonRows(ctx.db, MAIN_ROWS, person, keepErasedStatements(ctx, { ...person, email: person.key })),
  ...textStages(ctx.db, MAIN_TEXTS),
  (person, after) => deleteResponses(ctx.db, person, after, ctx.now()),
  // Large ones whomever they name: they are read by their keys only, so a call that is repeated meanwhile gets a 409.
  async ({ workspace }) => {
    const isDone = await deleteObjects(ctx, responsePrefixes(workspace, ctx.now()));
    return { next: isDone ? null : { after: null }, removed: {} };
  },
];

const textStages = <Kind extends DatabaseKind>(db: Database<Kind>, tables: typeof MAIL_TEXTS): Stage[] =>
  tables.map(
    (table) => (person, after) =>
      scrubTexts(db, table, {
        workspace: person.workspace,
        after: after as string[] | null,
        scrubber: new Scrubber(person.key),
      }),
  );
