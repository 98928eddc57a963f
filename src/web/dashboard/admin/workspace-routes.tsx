import { newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { getAnyWorkspace, listAllWorkspaces, pauseWorkspace } from "../../../operations/admin/index.ts";
import { WorkspacesPage } from "./workspaces.tsx";

const PATH = "/app/admin/workspaces";
const PAUSE = "POST /v1/admin/workspaces/:workspace_id/pause";

const notices: Readonly<Record<string, string>> = {
  paused: "Sending is paused in the workspace. Its owners are told.",
  resumed: "The pause of the platform is ended.",
};

/** Workspaces of the platform: an administrator stops the mail of one. */
export const workspacePages = newRoutes()
  .get(PATH, ...pageFor("GET /v1/admin/workspaces"), async (c) => {
    const { rows, next } = await readPage(c, { path: PATH, read: listAllWorkspaces, after: ({ id }) => id });
    return respondPage(c, <WorkspacesPage workspaces={rows} />, { notices, next, nextLabel: "More" });
  })
  .get(`${PATH}/:workspace_id/pause`, ...pageFor(PAUSE), async (c) => {
    const { name } = await getAnyWorkspace(c.get("caller"), c.req.param("workspace_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Pause sending in ${name}?`} button="Pause sending" back={PATH}>
        Calls that send are refused from the next request on, and queued emails wait. Its owners are told, and cannot
        resume it.
      </ConfirmPage>,
    );
  })
  .post(`${PATH}/:workspace_id/pause`, ...pageFor(PAUSE), async (c) => {
    await pauseWorkspace(c.get("caller"), c.req.param("workspace_id"), true);
    return c.redirect(`${PATH}?done=paused`, 303);
  })
  .post(`${PATH}/:workspace_id/resume`, ...pageFor("POST /v1/admin/workspaces/:workspace_id/resume"), async (c) => {
    await pauseWorkspace(c.get("caller"), c.req.param("workspace_id"), false);
    return c.redirect(`${PATH}?done=resumed`, 303);
  });
