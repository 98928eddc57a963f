import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { attempt, onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import {
  InvitationIn,
  inviteMember,
  listInvitations,
  withdrawInvitation,
} from "../../../identity/invitations/index.ts";
import { changeRole, getMember, listMembers, MemberPatch, removeMember } from "../../../identity/members/index.ts";
import { TeamPage } from "./page.tsx";

const PAGE_SIZE = 100;
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
      const { email_sent } = await onceForForm(c, (ctx) =>
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
  .post("/app/team/:user_id/role", ...pageFor("PATCH /v1/workspaces/:workspace_id/members/:user_id"), (c) =>
    submitForm(c, showTeam, async (fields) => {
      const caller = c.get("caller");
      const userId = c.req.param("user_id");
      // Before the role: an unknown member is a 404 whatever the form says.
      await getMember(caller, userId);
      const { role } = parseFields(MemberPatch, { role: fields.get("role") ?? "" });
      await changeRole(caller, { workspaceId: caller.workspace.id, userId }, role);
      return "/app/team?done=changed";
    }),
  )
  .get("/app/team/:user_id/remove", ...pageFor(REMOVE), async (c) => {
    const caller = c.get("caller");
    const { userId, email } = await getMember(caller, c.req.param("user_id"));
    const isSelf = userId === caller.actor.userId;
    return respondPage(
      c,
      <ConfirmPage
        title={isSelf ? `Leave ${caller.workspace.name}?` : `Remove ${email}?`}
        button={isSelf ? "Leave" : "Remove"}
        back="/app/team"
      >
        The API keys, sessions and connected programs of {email} in this workspace end at once.
      </ConfirmPage>,
    );
  })
  .post("/app/team/:user_id/remove", ...pageFor(REMOVE), (c) =>
    attempt(c, showTeam, async () => {
      const caller = c.get("caller");
      const userId = c.req.param("user_id");
      await removeMember(caller, { workspaceId: caller.workspace.id, userId });
      return userId.toLowerCase() === caller.actor.userId ? "/app" : "/app/team?done=removed";
    }),
  );

async function showTeam(c: AppContext) {
  const caller = c.get("caller");
  const [{ rows: members, next }, invitations] = await Promise.all([
    readPage(c, { path: "/app/team", read: listMembers, after: ({ userId }) => userId }),
    listInvitations(caller, { limit: PAGE_SIZE }),
  ]);
  return respondPage(c, <TeamPage members={members} invitations={invitations} next={next} />, { notices });
}
