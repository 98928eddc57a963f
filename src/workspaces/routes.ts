import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import { z } from "zod";
import type { AppEnv } from "../http/env.ts";
import { parameter, responses } from "../http/openapi.ts";
import { deleteWorkspace } from "./delete.ts";
import { getWorkspace } from "./queries.ts";
import { toWorkspace, WorkspaceOut } from "./schema.ts";

const workspaceId = parameter.id("workspace_id", "Id of the workspace");

export const workspaceRoutes = new Hono<AppEnv>()
  .get(
    "/v1/workspaces/",
    describeRoute({
      operationId: "listWorkspaces",
      summary: "List your workspaces",
      tags: ["Workspaces"],
      responses: responses(200, "The workspaces", z.array(WorkspaceOut), [403]),
    }),
    async (c) => {
      const caller = c.get("caller");
      return c.json([toWorkspace(await getWorkspace(caller, caller.workspace.id), caller.actor.role)]);
    },
  )
  .get(
    "/v1/workspaces/:workspace_id",
    describeRoute({
      operationId: "getWorkspace",
      summary: "Get a workspace",
      tags: ["Workspaces"],
      parameters: [workspaceId],
      responses: responses(200, "The workspace", WorkspaceOut, [403, 404]),
    }),
    async (c) => {
      const caller = c.get("caller");
      return c.json(toWorkspace(await getWorkspace(caller, c.req.param("workspace_id")), caller.actor.role));
    },
  )
  .delete(
    "/v1/workspaces/:workspace_id",
    describeRoute({
      operationId: "deleteWorkspace",
      summary: "Delete a workspace and all its data",
      description: "Only for owners. Its API keys stop working at once, and its queued emails are not sent.",
      tags: ["Workspaces"],
      parameters: [workspaceId],
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    async (c) => {
      await deleteWorkspace(c.get("caller"), c.req.param("workspace_id"));
      return c.body(null, 204);
    },
  );
