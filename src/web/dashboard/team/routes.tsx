import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import {
  InvitationIn,
  inviteMember,
  listInvitations,
  withdrawInvitation,
} from "../../../identity/invitations/index.ts";
import {
  changeRole,
  getMember,
  listMembers,
  listPasswordsOf,
  MemberPatch,
  removeMember,
} from "../../../identity/members/index.ts";
import { TeamPage } from "./page.tsx";
import { keptBy, PasswordChoice } from "./password-choice.tsx";

const PAGE_SIZE = 100;
const CHANGE = "PATCH /v1/workspaces/:workspace_id/members/:user_id";
const REMOVE = "DELETE /v1/workspaces/:workspace_id/members/:user_id";

const notices: Readonly<Record<string, string>> = {
  invited: "The invitation is sent.",
  shown: "The invitation is made. No further email leaves to this address today: the person sees it after sign-in.",
  withdrawn: "The invitation is withdrawn.",
  changed: "The role is changed.",
  removed: "The member is removed.",
};

export const teamPages = newRoutes()
  .get("/app/team", ...pageFor("GET /v1/workspaces/:workspace_id/members"), showTeam)
  .post("/app/team/invitations", ...pageFor("POST /v1/workspaces/:workspace_id/invitations"), (c) =>
    submitForm(c, showTeam, async (fields) => {
      const [email, role] = [fields.get("email")?.trim() ?? "", fields.get("role") ?? ""];
      const input = parseFields(InvitationIn, { email, role });
      const { email_sent } = await onceForForm(c, JSON.stringify(input), (ctx) =>
        inviteMember(ctx, ctx.workspace.id, input, c.get("sendSystemEmail")),
      );
      return `/app/team?done=${email_sent ? "invited" : "shown"}`;
    }),
  )
  .post(
    "/app/team/invitations/:invitation_id/withdraw",
    ...pageFor("DELETE /v1/workspaces/:workspace_id/invitations/:invitation_id"),
    async (c) => {
      const caller = c.get("caller");
      await withdrawInvitation(caller, caller.workspace.id, c.req.param("invitation_id"));
      return c.redirect("/app/team?done=withdrawn", 303);
    },
  )
  .post("/app/team/:user_id/role", ...pageFor(CHANGE), (c) =>
    submitForm(c, showTeam, async (fields) => {
      const caller = c.get("caller");
      const userId = c.req.param("user_id");
      // Before the role: an unknown member is a 404 whatever the form says.
      const member = await findMember(c);
      const { role } = parseFields(MemberPatch, { role: fields.get("role") ?? "" });
      if (role === "member" && member.role !== "member" && member.passwords.length > 0)
        return `/app/team/${userId}/demote`;
      await changeRole(caller, { workspaceId: caller.workspace.id, userId }, role);
      return "/app/team?done=changed";
    }),
  )
  .get("/app/team/:user_id/demote", ...pageFor(CHANGE), async (c) => {
    const { email, passwords } = await findMember(c);
    return respondPage(
      c,
      <ConfirmPage
        title={`Make ${email} a member?`}
        button="Change role"
        back="/app/team"
        choices={<PasswordChoice passwords={passwords} />}
      >
        As a member, {email} opens only the mailboxes that are assigned to them.
      </ConfirmPage>,
    );
  })
  .post("/app/team/:user_id/demote", ...pageFor(CHANGE), (c) =>
    submitForm(c, showTeam, async (fields) => {
      const caller = c.get("caller");
      const ids = { workspaceId: caller.workspace.id, userId: c.req.param("user_id") };
      await changeRole(caller, ids, "member", keptBy(fields));
      return "/app/team?done=changed";
    }),
  )
  .get("/app/team/:user_id/remove", ...pageFor(REMOVE), async (c) => {
    const { userId, email, passwords } = await findMember(c);
    const caller = c.get("caller");
    const isSelf = userId === caller.actor.userId;
    return respondPage(
      c,
      <ConfirmPage
        title={isSelf ? `Leave ${caller.workspace.name}?` : `Remove ${email}?`}
        button={isSelf ? "Leave" : "Remove"}
        back="/app/team"
        choices={<PasswordChoice passwords={passwords} isSelf={isSelf} />}
      >
        The API keys, sessions and connected programs of {email} in this workspace end at once.
      </ConfirmPage>,
    );
  })
  .post("/app/team/:user_id/remove", ...pageFor(REMOVE), (c) =>
    submitForm(c, showTeam, async (fields) => {
      const caller = c.get("caller");
      const userId = c.req.param("user_id");
      await removeMember(caller, { workspaceId: caller.workspace.id, userId }, keptBy(fields));
      return userId.toLowerCase() === caller.actor.userId ? "/app" : "/app/team?done=removed";
    }),
  );

/** Returns the member of a path, with the passwords that it has set. */
async function findMember(c: AppContext) {
  const caller = c.get("caller");
  const id = c.req.param("user_id")?.toLowerCase() ?? "";
  const [member, passwords] = await Promise.all([getMember(caller, id), listPasswordsOf(caller, id)]);
  return { ...member, passwords };
}

async function showTeam(c: AppContext) {
  const caller = c.get("caller");
  const [{ rows: members, next }, invitations] = await Promise.all([
    readPage(c, { path: "/app/team", read: listMembers, after: ({ userId }) => userId }),
    listInvitations(caller, { limit: PAGE_SIZE }),
  ]);
  return respondPage(c, <TeamPage members={members} invitations={invitations} next={next} />, { notices });
}
