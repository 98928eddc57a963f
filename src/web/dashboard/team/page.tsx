import type { Role } from "../../../access/caller.ts";
import {
  ActionLink,
  AppLayout,
  ButtonLine,
  ErrorSummary,
  Facts,
  Field,
  Form,
  FormDialog,
  List,
  Options,
  PostButton,
  Select,
  Submit,
  Time,
  useCaller,
  useScope,
} from "../../../http/ui/index.ts";
import type { InvitationRow } from "../../../identity/invitations/index.ts";
import { type MemberRow, mayChange, roles } from "../../../identity/members/index.ts";

interface TeamPageProps {
  members: readonly MemberRow[];
  invitations: readonly InvitationRow[];
  next: string | null;
}

/** The rights of each role (docs/contract/scopes.md#roles). */
const ROLES: Readonly<Record<Role, string>> = {
  owner: "Everything. Only an owner deletes the workspace, and makes or removes owners.",
  admin: "Everything else: domains, mailboxes, keys, webhooks, the team and all mail.",
  member:
    "Sends mail, and changes contacts, templates and broadcasts. Sees domains, webhooks and the team without changing them, and opens the mailboxes that are assigned to them.",
};

/** The value of a choice for a member that sees only its mailboxes, and how it is shown. */
export const MAILBOXES = "mailboxes";
const ONLY = "member of its mailboxes only";

const standingOf = ({ role, mailboxesOnly }: Pick<MemberRow, "role" | "mailboxesOnly">) =>
  mailboxesOnly ? ONLY : role;
const toChoices = (of: readonly Role[]) =>
  of.flatMap((role) => [
    { value: role as string, label: role as string },
    ...(role === "member" ? [{ value: MAILBOXES, label: ONLY }] : []),
  ]);

/** The members of the workspace and the invitations that were not accepted yet. */
export function TeamPage({ members, invitations, next }: TeamPageProps) {
  const caller = useCaller();
  const mayManage = useScope("team:manage");
  return (
    <AppLayout title="Team" actions={mayManage ? <InviteDialog /> : null}>
      <ErrorSummary />
      <List
        caption="Members"
        columns={["Member", "Name", "Role", "Since", "Action"]}
        rows={members.map((member) => [
          member.email,
          member.name ?? "",
          mayManage && member.userId !== caller.actor.userId ? <RoleForm member={member} /> : standingOf(member),
          <Time at={member.createdAt} />,
          <RemoveLink member={member} />,
        ])}
      />
      {next === null ? null : <ButtonLine to={next} label="More" kind="quiet" />}
      <details>
        <summary>What each role may do</summary>
        <Facts
          of={{
            ...ROLES,
            [ONLY]:
              "Reads, answers and files the mail of the mailboxes that are assigned. Sees nothing else of the workspace.",
          }}
        />
      </details>
      <h2>Invitations</h2>
      <List
        caption="Invitations"
        columns={["Address", "Role", "Expires", mayManage && "Action"]}
        empty={<p>No invitation is open.</p>}
        rows={invitations.map(({ id, email, expiresAt, ...invitation }) => [
          email,
          standingOf(invitation),
          expiresAt <= caller.now() ? "expired" : <Time at={expiresAt} />,
          <PostButton
            to={`/app/team/invitations/${id}/withdraw`}
            label="Withdraw"
            kind="danger"
            name={`Withdraw the invitation of ${email}`}
          />,
        ])}
      />
    </AppLayout>
  );
}

function RoleForm({ member }: { member: MemberRow }) {
  const caller = useCaller();
  const choices = roles.filter((role) => role === member.role || mayChange(caller.actor.role, member.role, role));
  if (choices.length < 2) return <>{standingOf(member)}</>;
  return (
    <Form class="actions" action={`/app/team/${member.userId}/role`}>
      <select name="role" aria-label={`Role of ${member.email}`} class="short">
        <Options options={toChoices(choices)} value={member.mailboxesOnly ? MAILBOXES : member.role} />
      </select>
      <Submit label="Save" kind="link" name={`Save the role of ${member.email}`} />
    </Form>
  );
}

function RemoveLink({ member }: { member: MemberRow }) {
  const caller = useCaller();
  const isSelf = member.userId === caller.actor.userId;
  const mayRemove = isSelf || (useScope("team:manage") && mayChange(caller.actor.role, member.role, "removed"));
  return mayRemove ? (
    <ActionLink
      to={`/app/team/${member.userId}/remove`}
      label={isSelf ? "Leave" : "Remove"}
      name={isSelf ? "Leave" : `Remove ${member.email}`}
    />
  ) : null;
}

const InviteDialog = () => (
  <FormDialog label="Invite a person" icon="plus" action="/app/team/invitations" once button="Send invitation">
    <Field name="email" label="Email address" type="email" />
    <Select
      name="role"
      label="Role"
      value="member"
      options={toChoices(roles.filter((role) => role !== "owner" || useCaller().actor.role === "owner").toReversed())}
    />
  </FormDialog>
);
