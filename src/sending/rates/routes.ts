import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { toWorkspace, WorkspaceOut } from "../../identity/workspaces/index.ts";
import { resumeBulk } from "./resume.ts";

export const rateRoutes = apiRoutes("Workspaces").post(
  "/v1/workspaces/:workspace_id/resume-bulk",
  "resumeBulkMail",
  "team:manage",
  outlives.nothing,
  {
    summary: "Resume the mail of a workspace that stopped itself",
    description:
      "Only for owners. A workspace stops its bulk mail when too many of the last hour's emails bounced or were marked as spam; `paused_sources` has what waits. Emails from before the call do not stop it again.",
    once: false,
    returns: { 200: ["The workspace", WorkspaceOut] },
    errors: [409],
    run: async (caller, { workspace_id }) =>
      toWorkspace(caller, await resumeBulk(caller, workspace_id), caller.actor.role),
  },
);
