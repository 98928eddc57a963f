import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { continueSession } from "../../http/continue-session.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { createWorkspace } from "./create.ts";
import { deleteWorkspace } from "./delete.ts";
import { getMembership, listWorkspaces } from "./queries.ts";
import { toWorkspace, UsageOut, WorkspaceIn, WorkspaceOut, WorkspacePatch } from "./schema.ts";
import { updateWorkspace } from "./update.ts";
import { listUsage } from "./usage.ts";

export const workspaceRoutes = apiRoutes("Workspaces")
  .get("/v1/workspaces/", "listWorkspaces", "team:view", {
    summary: "List your workspaces",
    description:
      "A session lists all workspaces of its user and acts in one of them, which POST /auth/workspace changes. An API key " +
      "lists its own workspace.",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of workspaces, oldest first", z.array(WorkspaceOut)] },
    run: (caller, { query }, c) =>
      respondList(c, query, {
        read: listWorkspaces,
        after: ({ row }) => row.id,
        serialize: ({ row, role }) => toWorkspace(caller, row, role),
      }),
  })
  .post("/v1/workspaces/", "createWorkspace", "session", outlives.nothing, {
    summary: "Create a workspace",
    description:
      "Only a session creates one, since every other credential stays in its workspace. Your user becomes its owner and stays " +
      "in the active workspace until POST /auth/workspace. Owners and admins of a workspace may create others.",
    body: WorkspaceIn,
    returns: { 201: ["The workspace", WorkspaceOut] },
    run: (caller, { body }) => createWorkspace(caller, body),
  })
  .get("/v1/workspaces/:workspace_id", "getWorkspace", "team:view", {
    summary: "Get a workspace",
    description: "A session gets each workspace of its user, with the role in it; an API key its own one.",
    returns: { 200: ["The workspace", WorkspaceOut] },
    run: async (caller, { workspace_id }) => {
      const { row, role } = await getMembership(caller, workspace_id);
      return toWorkspace(caller, row, role);
    },
  })
  .get("/v1/workspaces/:workspace_id/usage", "listUsage", "team:view", {
    summary: "List the budgets of a workspace, and what it has used of each",
    returns: { 200: ["The budgets", z.array(UsageOut)] },
    run: (caller, { workspace_id }) => listUsage(caller, workspace_id),
  })
  .patch("/v1/workspaces/:workspace_id", "updateWorkspace", "team:manage", outlives.slackUrl, {
    summary: "Update a workspace: name, sending pause and settings",
    body: WorkspacePatch,
    returns: { 200: ["The workspace", WorkspaceOut] },
    errors: [409],
    run: async (caller, { workspace_id, body }) =>
      toWorkspace(caller, await updateWorkspace(caller, workspace_id, body), caller.actor.role),
  })
  .delete("/v1/workspaces/:workspace_id", "deleteWorkspace", "team:manage", outlives.deletedWorkspace, {
    summary: "Delete a workspace and all its data",
    description:
      "Only for owners. Its API keys stop working at once, and its queued emails are not sent. A session goes on in the oldest " +
      "other workspace of its user; it ends when there is none.",
    returns: { 204: "Deleted" },
    errors: [409],
    run: async (caller, { workspace_id }, c) => {
      await deleteWorkspace(caller, workspace_id);
      await continueSession(c);
    },
  });
