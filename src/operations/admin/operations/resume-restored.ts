import type { CallerCtx } from "../../../access/caller.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { resumeHeld } from "../../backups/index.ts";

/**
 * Resumes up to 500 outbox rows of each database, and as many deliveries of webhooks, that a restored backup holds, and records
 * it. Due ones are sent at once. Returns how many, 0 when none is left. Safe to repeat.
 */
export async function resumeRestored(ctx: CallerCtx): Promise<number> {
  const released = await resumeHeld(ctx);
  if (released === 0) return 0;
  await auditStatement(
    { ...ctx, workspace: null },
    { action: "outbox.released", target: "all", detail: { released } },
  ).run();
  return released;
}
