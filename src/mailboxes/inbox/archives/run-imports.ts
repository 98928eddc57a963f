import { YieldingSteps } from "../../../lib/yielding-steps.ts";
import type { OutboxCtx, WakeUp } from "../../../platform/context.ts";
import type { ClaimedRow } from "../../../platform/outbox/claim.ts";
import { consumeRows } from "../../../platform/outbox/consume-rows.ts";
import { LEASE_MS, MAX_CLAIMS } from "../../../platform/outbox/rules.ts";
import { mailboxStore, type StoredImport, saveUsedBytes } from "../../mailbox-store/index.ts";
import { readEntries } from "./entries.ts";
import type { ImportRef } from "./import.ts";
import { ImportRun, ImportTakenError, type ImportTarget } from "./import-run.ts";
import { archiveStep, importRun, type RunBounds } from "./rules.ts";
import { ArchiveSource } from "./source.ts";

/** Imports that one call continues, each by one run; a run holds a message of up to 25 MiB. */
const IMPORTS_PER_CALL = 4;

/** An import that was claimed too often fails when it has not moved for this long, in ms: less than these claims take. */
const STUCK_MS = 5 * LEASE_MS;

const FIND_MAILBOX = "SELECT quota_bytes FROM mailboxes WHERE id = ?1";

/**
 * Continues imports: of each row one run of bounded work, then the row is due again until the archive is read. The place in the
 * archive moves in the transaction that stores messages, so a run that is killed loses and doubles nothing. Throws when a run
 * failed: its lease then expires and the next sweep finds the row.
 */
export async function runImports(
  ctx: OutboxCtx<"main">,
  wakeUps: readonly WakeUp[],
  bounds: RunBounds = importRun,
): Promise<void> {
  await consumeRows(
    ctx,
    wakeUps,
    async (row) => ((await continueImport(ctx, row, bounds)) ? "done" : { dueAt: ctx.now(), wakes: true }),
    (started) => started < IMPORTS_PER_CALL,
  );
}

/** Runs an import up to bounds. Returns true when nothing is left to do, also because the mailbox was deleted. */
async function continueImport(ctx: OutboxCtx<"main">, { id, ref, claims }: ClaimedRow, bounds: RunBounds) {
  const { mailbox: mailboxId } = JSON.parse(ref) as ImportRef;
  const row = await ctx.db.findRow<{ quota_bytes: number | null }>(FIND_MAILBOX, mailboxId);
  if (!row) return true;
  const mailbox = { id: mailboxId, quotaBytes: row.quota_bytes, store: mailboxStore(ctx, mailboxId) };
  const known = await mailbox.store.findImport(id);
  if (known?.status !== "running") return true;
  // Claims of runs that were interrupted add up also while the import gets on.
  if (claims > MAX_CLAIMS && ctx.now() - known.updatedAt > STUCK_MS) {
    await mailbox.store.endImport(id, "failed", "The archive could not be read to its end; import it again");
    return true;
  }
  const isDone = await runOnce(ctx, mailbox, known, bounds);
  if (isDone) await mailbox.store.endImport(id, "done", null);
  await saveUsedBytes(ctx, mailbox, (await mailbox.store.quota()).usedBytes);
  return isDone;
}

async function runOnce(ctx: OutboxCtx<"main">, mailbox: ImportTarget, known: StoredImport, bounds: RunBounds) {
  const { object, size, format, folder, cursor } = known;
  const steps = new YieldingSteps(archiveStep);
  const run = new ImportRun(ctx, mailbox, steps, known);
  try {
    const entries = readEntries(new ArchiveSource(ctx, object, size), { format, folder, from: cursor, steps });
    return await run.read(entries, bounds);
  } catch (error) {
    if (!(error instanceof ImportTakenError)) throw error;
    // A run whose lease has expired goes on elsewhere.
    return false;
  }
}
