import type { MailCtx } from "../../../platform/context.ts";
import { guardedBatch } from "../../../platform/db/batch.ts";
import { type EngineLease, renewStatements } from "./lease.ts";

/** Wait of a run after its first move that ended with an error, in milliseconds; three times as long after each further one. */
const FIRST_WAIT_MS = 10_000;
/** Failures from which the wait grows no more: about an hour. */
const MAX_FAILURES = 6;

// The run is still the first that is due: the lease keeps other runs of the engine away.
const POSTPONE = `
  UPDATE automation_runs SET failures = failures + 1, due_at = ?1 + ?2 * CASE min(failures, ${MAX_FAILURES})
    ${Array.from({ length: MAX_FAILURES + 1 }, (_, failures) => `WHEN ${failures} THEN ${3 ** failures}`).join(" ")} END
   WHERE n = (SELECT n FROM automation_runs WHERE due_at <= ?1 ORDER BY due_at, n LIMIT 1)`;

/** Makes the first run that is due wait, after its move alone ended with an error, so that it holds up no other. */
export async function postponeFirst(ctx: MailCtx, lease: EngineLease): Promise<void> {
  const postpone = ctx.mail.prepare(POSTPONE).bind(ctx.now(), FIRST_WAIT_MS);
  await guardedBatch(ctx.mail, [...renewStatements(ctx, lease), postpone]);
}
