import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { button, change, creation, page, pagesOf } from "../../../http/page-actions.tsx";
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
  toStanding,
} from "../../../identity/members/index.ts";
import { withQuery } from "../../../lib/with-query.ts";
import { MAILBOXES, TeamPage } from "./page.tsx";
import { keptBy, PasswordChoice } from "./password-choice.tsx";

/** The fields of a choice of a role, whose value `mailboxes` is a member that sees only its mailboxes. */
const STANDING = {
  role: (fields: URLSearchParams) => {
    const role = fields.get("role");
    return role === MAILBOXES ? "member" : role;
  },
  mailboxes_only: (fields: URLSearchParams) => fields.get("role") === MAILBOXES,
};

const PAGE_SIZE = 100;
const MEMBER = "/v1/workspaces/:workspace_id/members/:user_id";
const CHANGE = `PATCH ${MEMBER}`;

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
    read: (fields, c) => ({ input: inputOf(InvitationIn, STANDING)(fields), sendEmail: c.get("sendSystemEmail") }),
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
  change("/app/team/:user_id/role", CHANGE, {
    read: async (fields, c) => {
      // Before the role: an unknown member is a 404 whatever the form says.
      const { role, passwords } = await findMember(c);
      const input = inputOf(MemberPatch, STANDING)(fields);
      return { ...input, asksFirst: input.role === "member" && role !== "member" && passwords.length > 0 };
    },
    run: async (caller, userId, { asksFirst, ...input }) =>
      asksFirst ? { input } : changeRole(caller, { workspaceId: caller.workspace.id, userId }, toStanding(input)),
    to: (result, c) =>
      "input" in result
        ? withQuery(`/app/team/${c.req.param("user_id")}/demote`, { only: result.input.mailboxes_only ? "1" : "" })
        : "/app/team?done=changed",
    done: { changed: "The role is changed." },
  }),
  page("/app/team/:user_id/demote", CHANGE, async (c) => {
    const { email, passwords } = await findMember(c);
    const choices = (
      <>
        <input type="hidden" name="only" value={c.req.query("only") ?? ""} />
        <PasswordChoice passwords={passwords} />
      </>
    );
    return respondPage(
      c,
      <ConfirmPage title={`Make ${email} a member?`} button="Change role" back="/app/team" choices={choices}>
        As a member, {email} opens only the mailboxes that are assigned to them.
      </ConfirmPage>,
    );
  }),
  change("/app/team/:user_id/demote", CHANGE, {
    read: (fields) => ({ keep: keptBy(fields), mailboxesOnly: fields.get("only") === "1" }),
    run: (caller, userId, { keep, mailboxesOnly }) =>
      changeRole(caller, { workspaceId: caller.workspace.id, userId }, { role: "member", mailboxesOnly }, keep),
    to: () => "/app/team?done=changed",
    done: {},
  }),
  page("/app/team/:user_id/remove", `DELETE ${MEMBER}`, async (c) => {
    const { email, passwords, isSelf } = await findMember(c);
    return respondPage(
      c,
      <ConfirmPage
        title={isSelf ? `Leave ${c.get("caller").workspace.name}?` : `Remove ${email}?`}
        button={isSelf ? "Leave" : "Remove"}
        back="/app/team"
        choices={<PasswordChoice passwords={passwords} isSelf={isSelf} />}
      >
        The API keys, sessions and connected programs of {email} in this workspace end at once.
      </ConfirmPage>,
    );
  }),
  change("/app/team/:user_id/remove", `DELETE ${MEMBER}`, {
    read: keptBy,
    run: (caller, userId, keep) => removeMember(caller, { workspaceId: caller.workspace.id, userId }, keep),
    to: (_, c) => {
      const isSelf = c.req.param("user_id")?.toLowerCase() === c.get("caller").actor.userId;
      return isSelf ? "/app" : "/app/team?done=removed";
    },
    done: { removed: "The member is removed." },
  }),
);

/** Returns the member of a path, with the passwords that it has set. */
async function findMember(c: AppContext) {
  const caller = c.get("caller");
  const id = c.req.param("user_id")?.toLowerCase() ?? "";
  const [member, passwords] = await Promise.all([getMember(caller, id), listPasswordsOf(caller, id)]);
  return { ...member, passwords, isSelf: member.userId === caller.actor.userId };
}
