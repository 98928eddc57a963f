import { notifyOwners } from "../../notices/notifications/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import { PAUSE_CHECK_MS } from "../../sending/delivery/index.ts";
import { checkStart } from "./check-start.ts";
import { serializeFanOut } from "./fan-out.ts";
import type { Broadcast } from "./queries.ts";
import type { WorkspaceState } from "./workspace-state.ts";

const START = `
  UPDATE broadcasts SET status = 'sending', version = version + 1, fan_out = ?3, fan_out_step = fan_out_step + 1, updated_at = ?4
   WHERE n = ?1 AND version = ?2 AND status = 'scheduled'`;

const CANCEL = `
  UPDATE broadcasts SET status = 'cancelled', version = version + 1, updated_at = ?3
   WHERE n = ?1 AND version = ?2 AND status = 'scheduled'`;

/**
 * Starts a scheduled broadcast that is due. It waits while the workspace is paused, and is cancelled with a notification when
 * it cannot be sent (docs/contract/broadcasts.md#what-a-broadcast-needs). Returns when to look again, in milliseconds since
 * 1970, or null at once.
 */
export async function startDue(ctx: MailCtx, broadcast: Broadcast, workspace: WorkspaceState): Promise<number | null> {
  const { row } = broadcast;
  if (workspace.isPaused) return ctx.now() + PAUSE_CHECK_MS;
  const checked = await checkStart(ctx, broadcast, null);
  const errors = "errors" in checked ? checked.errors.map(({ msg }) => msg) : [];
  if (workspace.isRestricted) errors.push("The account is restricted and cannot send");
  if (errors.length === 0 && "fanOut" in checked) {
    await ctx.mail.prepare(START).bind(row.n, row.version, serializeFanOut(checked.fanOut), ctx.now()).run();
    return null;
  }
  // First, so that a crash between the two repeats it: a broadcast must not end without a word.
  const notice = {
    category: "sends" as const,
    severity: "error" as const,
    title: `The broadcast ${row.name} was not sent`,
    body: errors.join(" "),
    href: `/broadcasts/${row.id}`,
    key: `broadcast-not-sent ${row.id} ${row.version}`,
  };
  await notifyOwners(ctx, row.workspace, notice);
  await ctx.mail.prepare(CANCEL).bind(row.n, row.version, ctx.now()).run();
  return null;
}
