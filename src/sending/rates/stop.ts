import { type Notice, notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { pausedSources } from "../../platform/bulk-pauses/rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { setPauseStatement } from "./rows.ts";
import type { RateCounts } from "./rules.ts";

// The mail before an owner resumed the workspace does not stop it again.
const STOP = `
  UPDATE workspaces SET bulk_pause = ?2, bulk_paused_at = ifnull(bulk_paused_at, ?3)
   WHERE number = ?1 AND deleted_at IS NULL AND bulk_pause < ?2 AND ifnull(bulk_resumed_at, 0) <= ?4`;

/** A workspace whose rates are too high. */
export interface Suspect {
  number: number;
  id: string;
  counts: RateCounts;
  /** The time from which these are counted, in milliseconds since 1970. */
  since: number;
}

/**
 * Stops a workspace in one transaction with the audit entry and the notices to its owners, then in this mail database; its other
 * ones follow by their next run. A workspace that is stopped as far already, was resumed meanwhile or is deleted stays as it is.
 */
export async function stopWorkspace(
  ctx: MailCtx,
  { number, id, counts, since }: Suspect,
  pause: number,
): Promise<void> {
  const { db } = ctx;
  const now = ctx.now();
  const { sent, bounced, complained } = counts;
  const sources = pausedSources(pause);
  const detail = { sources, sent, bounced, complained };
  const service = { ...ctx, actor: null, clientIp: null, workspace: { number } };
  try {
    await guardedBatch(db, [
      db.prepare(STOP).bind(number, pause, now, since),
      expectChanges(db, 1),
      auditStatement(service, { action: "workspace.bulk_paused", target: id, detail }),
      ...notifyOwnersStatements(ctx, number, toNotice(counts, sources)),
    ]);
  } catch (error) {
    if (!(error instanceof ConcurrencyError)) throw error;
    return;
  }
  ctx.log("workspace.stopped", { workspace: id, ...detail });
  await setPauseStatement(ctx, number, pause).run();
}

function toNotice({ sent, bounced, complained }: RateCounts, sources: readonly string[]): Notice {
  const percent = (count: number, digits: number) => `${((100 * count) / sent).toFixed(digits)} %`;
  return {
    category: "alerts",
    severity: "error",
    href: "/settings",
    title: `Mail of this workspace is paused: ${sources.join(", ")}`,
    body: `In the last hour ${percent(bounced, 1)} of ${sent} recipients bounced and ${percent(complained, 2)} complained. Mail of these sources waits, and new calls are refused, until an owner resumes it. Other mail leaves. Remove addresses that do not exist and people who did not ask for mail first: mail that goes on like this is paused again.`,
  };
}
