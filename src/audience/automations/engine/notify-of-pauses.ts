import { dailyKey, notifyOwners } from "../../../notices/notifications/index.ts";
import type { MailCtx } from "../../../platform/context.ts";
import type { WorkspaceState } from "./workspaces.ts";

/** An automation that the service pauses, since a step can do nothing. */
export interface PausedAutomation {
  n: number;
  id: string;
  workspace: WorkspaceState;
  reason: string;
}

/** Notifies the owners of automations that are paused, once a day for each. At most one for each target of a page. */
export async function notifyOfPauses(ctx: MailCtx, paused: readonly PausedAutomation[]): Promise<void> {
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
