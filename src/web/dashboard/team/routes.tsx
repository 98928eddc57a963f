import { inputOf } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { button, change, creation, page, pagesOf, question } from "../../../http/page-actions.tsx";
import {
  InvitationIn,
  inviteMember,
  listInvitations,
  withdrawInvitation,
} from "../../../identity/invitations/index.ts";
import { changeRole, getMember, listMembers, MemberPatch, removeMember } from "../../../identity/members/index.ts";
import { TeamPage } from "./page.tsx";

const PAGE_SIZE = 100;
const MEMBER = "/v1/workspaces/:workspace_id/members/:user_id";

export const teamPages = pagesOf(
  "member",
  page("/app/team", "GET /v1/workspaces/:workspace_id/members", async (c) => {
    const caller = c.get("caller");
    const [{ rows: members, next }, invitations] = await Promise.all([
      readPage(c, { path: "/app/team", read: listMembers, after: ({ userId }) => userId }),
      listInvitations(caller, { limit: PAGE_SIZE }),
    ]);
    return respondPage(c, <TeamPage members={members} invitations={invitations} next={next} />);
  }),
  creation("/app/team/invitations", "POST /v1/workspaces/:workspace_id/invitations", {
    read: (fields, c) => ({ input: inputOf(InvitationIn)(fields), sendEmail: c.get("sendSystemEmail") }),
    run: (ctx, { input, sendEmail }) => inviteMember(ctx, ctx.workspace.id, input, sendEmail),
    to: ({ email_sent }) => `/app/team?done=${email_sent ? "invited" : "shown"}`,
    done: {
      invited: "The invitation is sent.",
      shown: "The invitation is made. No further email leaves to this address today: the person sees it after sign-in.",
    },
  }),
  button(
    "/app/team/invitations/:invitation_id/withdraw",
    "DELETE /v1/workspaces/:workspace_id/invitations/:invitation_id",
    {
      run: (caller, id) => withdrawInvitation(caller, caller.workspace.id, id),
      done: { withdrawn: "The invitation is withdrawn." },
    },
  ),
  change("/app/team/:user_id/role", `PATCH ${MEMBER}`, {
    read: async (fields, c) => {
      // Before the role: an unknown member is a 404 whatever the form says.
      await getMember(c.get("caller"), c.req.param("user_id") ?? "");
      return inputOf(MemberPatch)(fields);
    },
    run: (caller, userId, { role }) => changeRole(caller, { workspaceId: caller.workspace.id, userId }, role),
    done: { changed: "The role is changed." },
  }),
  question("/app/team/:user_id/remove", `DELETE ${MEMBER}`, {
    of: async (caller, id) => {
      const { userId, email } = await getMember(caller, id);
      return { email, left: userId === caller.actor.userId ? caller.workspace.name : null };
    },
    title: ({ email, left }) => (left === null ? `Remove ${email}?` : `Leave ${left}?`),
    button: ({ left }) => (left === null ? "Remove" : "Leave"),
    text: ({ email }) => `The API keys, sessions and connected programs of ${email} in this workspace end at once.`,
    run: (caller, userId) => removeMember(caller, { workspaceId: caller.workspace.id, userId }),
    to: (_, c) => {
      const isSelf = c.req.param("user_id")?.toLowerCase() === c.get("caller").actor.userId;
      return isSelf ? "/app" : "/app/team?done=removed";
    },
    done: { removed: "The member is removed." },
  }),
);
