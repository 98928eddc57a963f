import type { CallerCtx, Role } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  Dialog,
  ErrorSummary,
  Facts,
  Field,
  Form,
  Layout,
  List,
  Pager,
  PostButton,
  Select,
  Time,
} from "../../../http/ui/index.ts";
import type { InvitationRow } from "../../../identity/invitations/index.ts";
import { type MemberRow, mayChange, roles } from "../../../identity/members/index.ts";

interface TeamPageProps {
  caller: CallerCtx;
  members: readonly MemberRow[];
  invitations: readonly InvitationRow[];
  form: { email: string; role: string; idempotencyKey: string };
  next: string | null;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** The rights of each role (docs/contract/scopes.md#roles). */
const ROLES: Readonly<Record<Role, string>> = {
  owner: "Everything. Only an owner deletes the workspace, and makes or removes owners.",
  admin: "Everything else: domains, mailboxes, keys, webhooks, the team and all mail.",
  member:
    "Sends mail, and changes contacts, templates and broadcasts. Sees domains, webhooks and the team without changing them, and opens the mailboxes that are assigned to them.",
};

/** The members of the workspace and the invitations that were not accepted yet. */
export function TeamPage({ caller, members, invitations, form, next, notice, refusal }: TeamPageProps) {
  const mayManage = caller.actor.scopes.has("team:manage");
  const isInvitation = form.email !== "" || (refusal?.errors.has("email") ?? false);
  const invite = mayManage ? (
    <InviteDialog caller={caller} form={form} refusal={isInvitation ? refusal : undefined} />
  ) : null;
  return (
    <Layout title="Team" caller={caller} at="/app/team" actions={invite} notice={notice}>
      {isInvitation ? null : <ErrorSummary refusal={refusal} />}
      <List
        caption="Members"
        columns={["Member", "Name", "Role", "Since", "Action"]}
        rows={members.map((member) => [
          member.email,
          member.name ?? "",
          mayManage && member.userId !== caller.actor.userId ? (
            <RoleForm caller={caller} member={member} />
          ) : (
            member.role
          ),
          <Time at={member.createdAt} />,
          <RemoveLink caller={caller} member={member} />,
        ])}
      />
      <Pager next={next} label="More" />
      <details>
        <summary>What each role may do</summary>
        <Facts of={ROLES} />
      </details>
      <h2>Invitations</h2>
      {invitations.length === 0 ? (
        <p>No invitation is open.</p>
      ) : (
        <List
          caption="Invitations"
          columns={["Address", "Role", "Expires", ...(mayManage ? ["Action"] : [])]}
          rows={invitations.map(({ id, email, role, expiresAt }) => [
            email,
            role,
            expiresAt <= caller.now() ? "expired" : <Time at={expiresAt} />,
            ...(mayManage ? [<WithdrawForm id={id} email={email} />] : []),
          ])}
        />
      )}
    </Layout>
  );
}

function RoleForm({ caller, member }: { caller: CallerCtx; member: MemberRow }) {
  const choices = roles.filter((role) => role === member.role || mayChange(caller.actor.role, member.role, role));
  if (choices.length < 2) return <>{member.role}</>;
  return (
    <Form class="actions" action={`/app/team/${member.userId}/role`}>
      <select name="role" aria-label={`Role of ${member.email}`} class="short">
        {choices.map((role) => (
          <option value={role} selected={role === member.role}>
            {role}
          </option>
        ))}
      </select>
      <button class="link" type="submit" aria-label={`Save the role of ${member.email}`}>
        Save
      </button>
    </Form>
  );
}

function RemoveLink({ caller, member }: { caller: CallerCtx; member: MemberRow }) {
  const isSelf = member.userId === caller.actor.userId;
  const mayRemove =
    isSelf || (caller.actor.scopes.has("team:manage") && mayChange(caller.actor.role, member.role, "removed"));
  if (!mayRemove) return null;
  return (
    <a
      class="action"
      href={`/app/team/${member.userId}/remove`}
      aria-label={isSelf ? "Leave" : `Remove ${member.email}`}
    >
      {isSelf ? "Leave" : "Remove"}
    </a>
  );
}

const WithdrawForm = ({ id, email }: { id: string; email: string }) => (
  <PostButton
    to={`/app/team/invitations/${id}/withdraw`}
    label="Withdraw"
    kind="link"
    name={`Withdraw the invitation of ${email}`}
  />
);

const InviteDialog = ({ caller, form, refusal }: Pick<TeamPageProps, "caller" | "form" | "refusal">) => (
  <Dialog label="Invite a person" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/team/invitations" once={form.idempotencyKey} refusal={refusal}>
      <Field name="email" label="Email address" type="email" value={form.email} errors={refusal?.errors} />
      <Select
        name="role"
        label="Role"
        value={form.role}
        errors={refusal?.errors}
        options={roles
          .filter((role) => role !== "owner" || caller.actor.role === "owner")
          .toReversed()
          .map((role) => ({ value: role, label: role }))}
      />
      <button type="submit">Send invitation</button>
    </Form>
  </Dialog>
);
