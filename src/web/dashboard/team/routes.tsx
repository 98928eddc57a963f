import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
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

const emptyForm = () => ({ email: "", role: "member", idempotencyKey: crypto.randomUUID() });

export const teamPages = new Hono<AppEnv>()
  .get("/app/team", ...pageFor("GET /v1/workspaces/:workspace_id/members"), (c) => showTeam(c))
  .post("/app/team/invitations", ...pageFor("POST /v1/workspaces/:workspace_id/invitations"), async (c) => {
    const fields = await readForm(c);
    const field = (name: string) => fields.get(name) ?? "";
    const form = { email: field("email").trim(), role: field("role"), idempotencyKey: field("idempotency_key") };
    return submitForm(
      c,
      async () => {
        const input = parseFields(InvitationIn, { email: form.email, role: form.role });
        const { email_sent } = await onceForForm(c, form.idempotencyKey, JSON.stringify(input), (ctx) =>
          inviteMember(ctx, ctx.workspace.id, input, c.get("sendSystemEmail")),
        );
        return `/app/team?done=${email_sent ? "invited" : "shown"}`;
      },
      (refusal) => showTeam(c, { refusal, form }),
    );
  })
  .post(
    "/app/team/invitations/:invitation_id/withdraw",
    ...pageFor("DELETE /v1/workspaces/:workspace_id/invitations/:invitation_id"),
    async (c) => {
      const caller = c.get("caller");
      await withdrawInvitation(caller, caller.workspace.id, c.req.param("invitation_id"));
      return c.redirect("/app/team?done=withdrawn", 303);
    },
  )
  .post("/app/team/:user_id/role", ...pageFor("PATCH /v1/workspaces/:workspace_id/members/:user_id"), async (c) => {
    const fields = await readForm(c);
    const caller = c.get("caller");
    const userId = c.req.param("user_id");
    return submitForm(
      c,
      async () => {
        // Before the role: an unknown member is a 404 whatever the form says.
        await getMember(caller, userId);
        const { role } = parseFields(MemberPatch, { role: fields.get("role") ?? "" });
        await changeRole(caller, { workspaceId: caller.workspace.id, userId }, role);
        return "/app/team?done=changed";
      },
      (refusal) => showTeam(c, { refusal, form: emptyForm() }),
    );
  })
  .get("/app/team/:user_id/remove", ...pageFor(REMOVE), async (c) => {
    const caller = c.get("caller");
    const { userId, email } = await getMember(caller, c.req.param("user_id"));
    const isSelf = userId === caller.actor.userId;
    return respondPage(
      c,
      <ConfirmPage
        title={isSelf ? `Leave ${caller.workspace.name}?` : `Remove ${email}?`}
        caller={caller}
        button={isSelf ? "Leave" : "Remove"}
        back="/app/team"
      >
        The API keys, sessions and connected programs of {email} in this workspace end at once.
      </ConfirmPage>,
    );
  })
  .post("/app/team/:user_id/remove", ...pageFor(REMOVE), (c) =>
    submitForm(
      c,
      async () => {
        const caller = c.get("caller");
        const userId = c.req.param("user_id");
        await removeMember(caller, { workspaceId: caller.workspace.id, userId });
        return userId.toLowerCase() === caller.actor.userId ? "/app" : "/app/team?done=removed";
      },
      (refusal) => showTeam(c, { refusal, form: emptyForm() }),
    ),
  );

async function showTeam(c: Context<AppEnv>, submitted?: { refusal: Refusal; form: ReturnType<typeof emptyForm> }) {
  const caller = c.get("caller");
  const after = c.req.query("after")?.toLowerCase();
  const [found, invitations] = await Promise.all([
    listMembers(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 }),
    listInvitations(caller, { limit: PAGE_SIZE }),
  ]);
  const members = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? members.at(-1) : undefined;
  const page = (
    <TeamPage
      caller={caller}
      members={members}
      invitations={invitations}
      form={submitted?.form ?? emptyForm()}
      next={last === undefined ? null : `/app/team?${new URLSearchParams({ after: last.userId })}`}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}
