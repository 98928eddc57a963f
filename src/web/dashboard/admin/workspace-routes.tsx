import { readPage, respondPage } from "../../../http/page.tsx";
import { button, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { getAnyWorkspace, listAllWorkspaces, pauseWorkspace } from "../../../operations/admin/index.ts";
import { WorkspacesPage } from "./workspaces.tsx";

const PATH = "/app/admin/workspaces";

/** Workspaces of the platform: an administrator stops the mail of one. */
export const workspacePages = pagesOf(
  "workspace",
  page(PATH, "GET /v1/admin/workspaces", async (c) => {
    const { rows, next } = await readPage(c, { path: PATH, read: listAllWorkspaces, after: ({ id }) => id });
    return respondPage(c, <WorkspacesPage workspaces={rows} />, { next, nextLabel: "More" });
  }),
  question(`${PATH}/:workspace_id/pause`, "POST /v1/admin/workspaces/:workspace_id/pause", {
    of: getAnyWorkspace,
    title: ({ name }) => `Pause sending in ${name}?`,
    button: "Pause sending",
    text: "Calls that send are refused from the next request on, and queued emails wait. Its owners are told, and cannot resume it.",
    run: (caller, id) => pauseWorkspace(caller, id, true),
    done: { paused: "Sending is paused in the workspace. Its owners are told." },
  }),
  button(`${PATH}/:workspace_id/resume`, "POST /v1/admin/workspaces/:workspace_id/resume", {
    run: (caller, id) => pauseWorkspace(caller, id, false),
    done: { resumed: "The pause of the platform is ended." },
  }),
);
