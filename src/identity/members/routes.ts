import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { requireActiveWorkspace } from "../workspaces/index.ts";
import { changeRole } from "./change-role.ts";
import { listMembers } from "./queries.ts";
import { removeMember } from "./remove.ts";
import { MemberOut, MemberPatch, toMember } from "./schema.ts";

const operation = operationsOf("Members");

export const memberRoutes = newRoutes()
  .get(
    "/v1/workspaces/:workspace_id/members",
    operation("team:view", "listMembers", {
      summary: "List the members of a workspace",
      responses: responses(200, "A page of members", z.array(MemberOut), [403, 404]),
    }),
    query(z.object(cursorQuery)),
    async (c) => {
      await requireActiveWorkspace(c.get("caller"), c.req.param("workspace_id"));
      return respondList(c, { read: listMembers, after: ({ userId }) => userId, serialize: toMember });
    },
  )
  .patch(
    "/v1/workspaces/:workspace_id/members/:user_id",
    operation("team:manage", "updateMember", {
      summary: "Change the role of a member",
      description:
        "Takes effect with the next request of the member. Only owners change owners or make them, and one owner always " +
        "remains. A credential gives no role that has more rights than itself.",
      responses: responses(200, "The member", MemberOut, [403, 404, 409, 413, 415]),
    }),
    ...body(MemberPatch),
    async (c) => {
      const ids = { workspaceId: c.req.param("workspace_id"), userId: c.req.param("user_id") };
      return c.json(toMember(await changeRole(c.get("caller"), ids, c.req.valid("json").role)));
    },
  )
  .delete(
    "/v1/workspaces/:workspace_id/members/:user_id",
    operation("team:view", "removeMember", {
      summary: "Remove a member, or leave a workspace",
      description:
        "Ends the member's API keys, sessions, OAuth grants and mailbox assignments in the workspace. Removing others needs " +
        "`team:manage`; the last owner cannot leave.",
      responses: responses(204, "Removed", null, [403, 404, 409]),
    }),
    (c) => {
      const ids = { workspaceId: c.req.param("workspace_id"), userId: c.req.param("user_id") };
      return noContent(c, removeMember(c.get("caller"), ids));
    },
  );
