import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import { changeRole } from "./change-role.ts";
import { listMembers } from "./queries.ts";
import { removeMember } from "./remove.ts";
import { MemberOut, MemberPatch, toMember, toStanding } from "./schema.ts";

export const memberRoutes = apiRoutes("Members")
  .get("/v1/workspaces/:workspace_id/members", "listMembers", "team:view", {
    summary: "List the members of a workspace",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of members", z.array(MemberOut)] },
    run: async (caller, { workspace_id, query }, c) => {
      await requireActiveWorkspace(caller, workspace_id);
      return respondList(c, query, { read: listMembers, after: ({ userId }) => userId, serialize: toMember });
    },
  })
  .patch("/v1/workspaces/:workspace_id/members/:user_id", "updateMember", "team:manage", outlives.role, {
    summary: "Change the role of a member",
    description:
      "Takes effect with the next request of the member. With the role `member` the passwords of mailboxes end that the member has set. Only owners change owners or make them, and one owner always " +
      "remains. A credential gives no role that has more rights than itself.",
    body: MemberPatch,
    returns: { 200: ["The member", MemberOut] },
    errors: [409],
    run: async (caller, { workspace_id, user_id, body }) =>
      toMember(await changeRole(caller, { workspaceId: workspace_id, userId: user_id }, toStanding(body))),
  })
  .delete("/v1/workspaces/:workspace_id/members/:user_id", "removeMember", "team:view", outlives.nothing, {
    summary: "Remove a member, or leave a workspace",
    description:
      "Ends the member's API keys, sessions, OAuth grants, passwords of mailboxes and assignments in the workspace. Removing others needs " +
      "`team:manage`; the last owner cannot leave.",
    returns: { 204: "Removed" },
    errors: [409],
    run: (caller, { workspace_id, user_id }) => removeMember(caller, { workspaceId: workspace_id, userId: user_id }),
  });
