import * as z from "zod";
import { continueSession } from "../../http/continue-session.ts";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { createWorkspace } from "./create.ts";
import { deleteWorkspace } from "./delete.ts";
import { getMembership, listWorkspaces } from "./queries.ts";
import { toWorkspace, WorkspaceIn, WorkspaceOut, WorkspacePatch } from "./schema.ts";
import { updateWorkspace } from "./update.ts";

const operation = operationsOf("Workspaces");

export const workspaceRoutes = newRoutes()
  .get(
    "/v1/workspaces/",
    operation("team:view", "listWorkspaces", {
      summary: "List your workspaces",
      description:
        "A session lists all workspaces of its user and acts in one of them, which POST /auth/workspace changes. An API key " +
        "lists its own workspace.",
      responses: responses(200, "A page of workspaces, oldest first", z.array(WorkspaceOut), [403]),
    }),
    query(z.object(cursorQuery)),
    (c) =>
      respondList(c, {
        read: listWorkspaces,
        after: ({ row }) => row.id,
        serialize: ({ row, role }) => toWorkspace(row, role),
      }),
  )
  .post(
    "/v1/workspaces/",
    operation("session", "createWorkspace", {
      summary: "Create a workspace",
      description:
        "Only a session creates one, since every other credential stays in its workspace. Your user becomes its owner and stays " +
        "in the active workspace until POST /auth/workspace. Owners and admins of a workspace may create others.",
      responses: responses(201, "The workspace", WorkspaceOut, [403, 409, 413, 415]),
    }),
    ...body(WorkspaceIn),
    idempotent(201),
    async (c) => c.json(await createWorkspace(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/workspaces/:workspace_id",
    operation("team:view", "getWorkspace", {
      summary: "Get a workspace",
      description: "A session gets each workspace of its user, with the role in it; an API key its own one.",
      responses: responses(200, "The workspace", WorkspaceOut, [403, 404]),
    }),
    async (c) => {
      const { row, role } = await getMembership(c.get("caller"), c.req.param("workspace_id"));
      return c.json(toWorkspace(row, role));
    },
  )
  .patch(
    "/v1/workspaces/:workspace_id",
    operation("team:manage", "updateWorkspace", {
      summary: "Update a workspace: name, sending pause and settings",
      responses: responses(200, "The workspace", WorkspaceOut, [403, 404, 409, 413, 415]),
    }),
    ...body(WorkspacePatch),
    async (c) => {
      const caller = c.get("caller");
      const row = await updateWorkspace(caller, c.req.param("workspace_id"), c.req.valid("json"));
      return c.json(toWorkspace(row, caller.actor.role));
    },
  )
  .delete(
    "/v1/workspaces/:workspace_id",
    operation("team:manage", "deleteWorkspace", {
      summary: "Delete a workspace and all its data",
      description:
        "Only for owners. Its API keys stop working at once, and its queued emails are not sent. A session goes on in the oldest " +
        "other workspace of its user; it ends when there is none.",
      responses: responses(204, "Deleted", null, [403, 404, 409]),
    }),
    async (c) => {
      await deleteWorkspace(c.get("caller"), c.req.param("workspace_id"));
      await continueSession(c);
      return c.body(null, 204);
    },
  );
