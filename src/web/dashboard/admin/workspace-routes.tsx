import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { getAnyWorkspace, listAllWorkspaces, pauseWorkspace } from "../../../operations/admin/index.ts";
import { WorkspacesPage } from "./workspaces.tsx";

const PAGE_SIZE = 100;
const PAUSE = "POST /v1/admin/workspaces/:workspace_id/pause";

const notices: Readonly<Record<string, string>> = {
  paused: "Sending is paused in the workspace. Its owners are told.",
  resumed: "The pause of the platform is ended.",
};

/** Workspaces of the platform: an administrator stops the mail of one. */
export const workspacePages = new Hono<AppEnv>()
  .get("/app/admin/workspaces", ...pageFor("GET /v1/admin/workspaces"), async (c) => {
    const caller = c.get("caller");
    const after = c.req.query("after")?.toLowerCase();
    const found = await listAllWorkspaces(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 });
    const workspaces = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? workspaces.at(-1) : undefined;
    const next = last === undefined ? null : `/app/admin/workspaces?${new URLSearchParams({ after: last.id })}`;
    const notice = notices[c.req.query("done") ?? ""];
    return respondPage(c, <WorkspacesPage {...{ caller, workspaces, next, notice }} />);
  })
  .get("/app/admin/workspaces/:workspace_id/pause", ...pageFor(PAUSE), async (c) => {
    const { name } = await getAnyWorkspace(c.get("caller"), c.req.param("workspace_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Pause sending in ${name}?`}
        caller={c.get("caller")}
        button="Pause sending"
        back="/app/admin/workspaces"
      >
        Calls that send are refused from the next request on, and queued emails wait. Its owners are told, and cannot
        resume it.
      </ConfirmPage>,
    );
  })
  .post("/app/admin/workspaces/:workspace_id/pause", ...pageFor(PAUSE), async (c) => {
    await pauseWorkspace(c.get("caller"), c.req.param("workspace_id"), true);
    return c.redirect("/app/admin/workspaces?done=paused", 303);
  })
  .post(
    "/app/admin/workspaces/:workspace_id/resume",
    ...pageFor("POST /v1/admin/workspaces/:workspace_id/resume"),
    async (c) => {
      await pauseWorkspace(c.get("caller"), c.req.param("workspace_id"), false);
      return c.redirect("/app/admin/workspaces?done=resumed", 303);
    },
  );
