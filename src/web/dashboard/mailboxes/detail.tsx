import {
  AppLayout,
  ButtonLink,
  Check,
  ErrorSummary,
  Facts,
  Field,
  Form,
  Status,
  Submit,
  Time,
  useCaller,
  VersionField,
} from "../../../http/ui/index.ts";
import type { MemberRow } from "../../../identity/members/index.ts";
import { versionOf } from "../../../lib/form-version.ts";
import {
  type MailboxOut,
  mayManage,
  mayRename,
  missingForPassword,
  type PasswordMade,
} from "../../../mailboxes/mailboxes/index.ts";
import { Usage } from "./list.tsx";
import { toMegabytes, valuesOf } from "./settings-form.ts";

interface MailboxPageProps {
  mailbox: MailboxOut;
  password: PasswordMade | null;
  /** Members of the workspace, for the choice of assignees. */
  members: readonly MemberRow[];
}

/** One mailbox: its fields, who may open it, and its password. */
export function MailboxPage({ mailbox, password, members }: MailboxPageProps) {
  const { actor } = useCaller();
  const isManager = mayManage(actor);
  const path = `/app/mailboxes/${mailbox.id}`;
  return (
    <AppLayout
      title={mailbox.address}
      actions={isManager ? <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" /> : null}
    >
      <ErrorSummary />
      <Facts
        of={{
          Status: <Status word={mailbox.is_active ? "active" : "off"} />,
          "Name of the sender": mailbox.display_name ?? "Not set",
          Used: <Usage {...mailbox} />,
          Created: <Time at={mailbox.created_at} />,
          Password: password === null ? "Not set" : <PasswordSet of={password} members={members} />,
        }}
      />
      <div class="columns">
        {mayRename(actor, mailbox.assignee_ids) ? (
          <Settings path={path} mailbox={mailbox} isManager={isManager} />
        ) : null}
        {isManager ? <Assignees path={path} mailbox={mailbox} members={members} /> : null}
        {missingForPassword(actor, mailbox.assignee_ids) === null ? <Password path={path} /> : null}
      </div>
    </AppLayout>
  );
}

function PasswordSet({ of, members }: { of: PasswordMade } & Pick<MailboxPageProps, "members">) {
  const maker = members.find(({ userId }) => userId === of.makerId)?.email;
  return (
    <>
      Set <Time at={of.changedAt} />
      {maker === undefined ? null : ` by ${maker}`}
      {of.makerId === null ? " in webmail, or before the person who sets it was stored" : null}
    </>
  );
}

interface SettingsProps extends Pick<MailboxPageProps, "mailbox"> {
  path: string;
  /** Others change the name only. */
  isManager: boolean;
}

const Settings = ({ path, mailbox, isManager }: SettingsProps) => (
  <Form action={path}>
    <h2>Settings</h2>
    <VersionField version={versionOf(valuesOf(mailbox, isManager))} />
    <Field name="display_name" label="Name of the sender" required={false} value={mailbox.display_name ?? ""} />
    {isManager ? (
      <>
        <Field
          name="quota_megabytes"
          label="Quota in megabytes"
          required={false}
          inputmode="numeric"
          hint="Empty: no limit."
          value={toMegabytes(mailbox.quota_bytes)}
        />
        <Check name="is_active" label="It sends and receives mail." checked={mailbox.is_active} />
      </>
    ) : null}
    <p>
      <Submit label="Save" />
    </p>
  </Form>
);

const Assignees = ({ path, mailbox, members }: { path: string } & Pick<MailboxPageProps, "mailbox" | "members">) => (
  <Form action={`${path}/assignees`}>
    <h2>Who may open it</h2>
    <fieldset>
      <legend>Assigned members</legend>
      {members.map(({ userId, email }) => (
        <Check name="user_id" value={userId} label={email} checked={mailbox.assignee_ids.includes(userId)} />
      ))}
    </fieldset>
    <p>
      <Submit label="Assign" kind="quiet" />
    </p>
  </Form>
);

const Password = ({ path }: { path: string }) => (
  <Form action={`${path}/password`}>
    <h2>Password for webmail</h2>
    <Field
      name="password"
      label="New password"
      type="password"
      hint="At least 12 characters. Sessions of the old password end."
      autocomplete="new-password"
    />
    <p>
      <Submit label="Set password" kind="quiet" />
    </p>
  </Form>
);
