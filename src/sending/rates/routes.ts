import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { toWorkspace, WorkspaceOut } from "../../identity/workspaces/index.ts";
import { resumeBulk } from "./resume.ts";

const operation = operationsOf("Workspaces");

export const rateRoutes = newRoutes().post(
  "/v1/workspaces/:workspace_id/resume-bulk",
  operation("team:manage", "resumeBulkMail", {
    summary: "Resume the mail of a workspace that stopped itself",
    description:
      "Only for owners. A workspace stops its bulk mail when too many of the last hour's emails bounced or were marked as spam; `paused_sources` has what waits. Emails from before the call do not stop it again.",
    responses: responses(200, "The workspace", WorkspaceOut, [403, 404, 409]),
  }),
  async (c) => {
    const caller = c.get("caller");
    return c.json(toWorkspace(await resumeBulk(caller, c.req.param("workspace_id")), caller.actor.role));
  },
);
