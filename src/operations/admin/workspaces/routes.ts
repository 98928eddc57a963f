import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { cursorQuery, respondList } from "../../../http/pagination.ts";
import { setDailyLimit } from "./daily-limit.ts";
import { pauseWorkspace } from "./pause.ts";
import { listAllWorkspaces } from "./queries.ts";
import { BudgetIn, DailyLimitIn, PlatformWorkspaceOut, ShutWorkspaceOut, toPlatformWorkspace } from "./schema.ts";
import { setBudget } from "./set-budget.ts";
import { shutWorkspace } from "./shut.ts";

/** The routes with which administrators of the platform stop the mail of a workspace. */
export const platformWorkspaceRoutes = apiRoutes("Platform")
  .get("/v1/admin/workspaces", "listPlatformWorkspaces", "platform_admin", {
    summary: "List the workspaces of the platform",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of workspaces", z.array(PlatformWorkspaceOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listAllWorkspaces, after: ({ id }) => id, serialize: toPlatformWorkspace }),
  })
  .post("/v1/admin/workspaces/:workspace_id/pause", "pauseWorkspace", "platform_admin", outlives.nothing, {
    summary: "Pause sending in a workspace; its owners cannot resume",
    description: "Takes effect with the next request. Queued emails wait, and are checked every ten minutes.",
    once: false,
    returns: { 200: ["The workspace", PlatformWorkspaceOut] },
    run: async (caller, { workspace_id }) => toPlatformWorkspace(await pauseWorkspace(caller, workspace_id, true)),
  })
  .post("/v1/admin/workspaces/:workspace_id/shut", "shutWorkspace", "platform_admin", outlives.nothing, {
    summary: "Pause a workspace, and refuse its keys and sign-ins",
    description:
      "403 by the API and the pages, 535 by SMTP and IMAP, from the next call on. Nothing is revoked; `resume` ends it.",
    once: false,
    returns: { 200: ["The workspace, and what left it in the last day", ShutWorkspaceOut] },
    errors: [409],
    run: async (caller, { workspace_id }) => {
      const { row, left } = await shutWorkspace(caller, workspace_id);
      return { workspace: toPlatformWorkspace(row), left };
    },
  })
  .post("/v1/admin/workspaces/:workspace_id/resume", "resumeWorkspace", "platform_admin", outlives.nothing, {
    summary: "End the platform's pause of a workspace",
    description: "Its keys and sign-ins work again. A pause that its owners had begun before stays.",
    once: false,
    returns: { 200: ["The workspace", PlatformWorkspaceOut] },
    run: async (caller, { workspace_id }) => toPlatformWorkspace(await pauseWorkspace(caller, workspace_id, false)),
  })
  .put("/v1/admin/workspaces/:workspace_id/daily-limit", "updateDailyLimit", "platform_admin", outlives.nothing, {
    summary: "Limit the emails that a workspace may have accepted in a day",
    description:
      "Holds for every way to send, from the next request on: beyond it sends return 429 until 00:00 UTC. Broadcasts and " +
      "bulk sends wait, and continue within an hour of a higher limit. Emails that were accepted before are delivered.",
    body: DailyLimitIn,
    returns: { 200: ["The workspace", PlatformWorkspaceOut] },
    run: async (caller, { workspace_id, body }) =>
      toPlatformWorkspace(await setDailyLimit(caller, workspace_id, body.daily_limit)),
  })
  .put("/v1/admin/workspaces/:workspace_id/budgets", "updateBudget", "platform_admin", outlives.nothing, {
    summary: "Set how many records of one kind a workspace may have",
    description: "From the next call on. What it has beyond a lower budget stays.",
    body: BudgetIn,
    returns: { 200: ["The workspace", PlatformWorkspaceOut] },
    run: async (caller, { workspace_id, body }) =>
      toPlatformWorkspace(await setBudget(caller, workspace_id, body.of, body.rows)),
  });
