import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { responses } from "../../../http/openapi.ts";
import { cursorQuery, respondList } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
import { operation } from "../routes.ts";
import { setDailyLimit } from "./daily-limit.ts";
import { pauseWorkspace } from "./pause.ts";
import { listAllWorkspaces } from "./queries.ts";
import { DailyLimitIn, PlatformWorkspaceOut, toPlatformWorkspace } from "./schema.ts";

/** The routes with which administrators of the platform stop the mail of a workspace. */
export const platformWorkspaceRoutes = newRoutes()
  .get(
    "/v1/admin/workspaces",
    operation("listPlatformWorkspaces", {
      summary: "List the workspaces of the platform",
      responses: responses(200, "A page of workspaces", z.array(PlatformWorkspaceOut), [403]),
    }),
    query(z.object(cursorQuery)),
    (c) => respondList(c, { read: listAllWorkspaces, after: ({ id }) => id, serialize: toPlatformWorkspace }),
  )
  .post(
    "/v1/admin/workspaces/:workspace_id/pause",
    operation("pauseWorkspace", {
      summary: "Pause sending in a workspace; its owners cannot resume",
      description: "Takes effect with the next request. Queued emails wait, and are checked every ten minutes.",
      responses: responses(200, "The workspace", PlatformWorkspaceOut, [403, 404]),
    }),
    async (c) => c.json(toPlatformWorkspace(await pauseWorkspace(c.get("caller"), c.req.param("workspace_id"), true))),
  )
  .post(
    "/v1/admin/workspaces/:workspace_id/resume",
    operation("resumeWorkspace", {
      summary: "End the platform's pause of a workspace",
      description: "A pause that its owners had begun before stays.",
      responses: responses(200, "The workspace", PlatformWorkspaceOut, [403, 404]),
    }),
    async (c) => c.json(toPlatformWorkspace(await pauseWorkspace(c.get("caller"), c.req.param("workspace_id"), false))),
  )
  .put(
    "/v1/admin/workspaces/:workspace_id/daily-limit",
    operation("updateDailyLimit", {
      summary: "Limit the emails that a workspace may have accepted in a day",
      description:
        "Holds for every way to send, from the next request on: beyond it sends return 429 until 00:00 UTC. Broadcasts and " +
        "bulk sends wait, and continue within an hour of a higher limit. Emails that were accepted before are delivered.",
      responses: responses(200, "The workspace", PlatformWorkspaceOut, [403, 404, 413, 415]),
    }),
    ...body(DailyLimitIn),
    async (c) => {
      const { daily_limit } = c.req.valid("json");
      return c.json(
        toPlatformWorkspace(await setDailyLimit(c.get("caller"), c.req.param("workspace_id"), daily_limit)),
      );
    },
  );
