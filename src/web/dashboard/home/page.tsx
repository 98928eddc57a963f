import { AppLayout, Form, LinkLine, List, Status, Submit, Time } from "../../../http/ui/index.ts";
import type { Invitation } from "../../../identity/invitations/index.ts";
import type { NotificationOut } from "../../../notices/notifications/index.ts";
import type { SearchOut } from "../../../sending/emails/index.ts";
import type { SystemMail } from "../../../sending/system-emails/index.ts";
import type { TransferRow } from "../../../transfers/domain-transfers/index.ts";
import { shortRecipients } from "../short-recipients.ts";
import { Checklist, isSetUp } from "./checklist.tsx";
import { Example, type ExampleCard } from "./example.tsx";
import type { Setup } from "./queries.ts";
import { TestMail } from "./test-mail.tsx";
import { type Week, WeekChart } from "./week.tsx";

export interface HomeContent {
  /** Invitations of the user to other workspaces. */
  invitations: readonly Invitation[];
  setup: Setup;
  /** Null: the role may not see analytics. */
  week: Week | null;
  /** The newest emails that failed, bounced or were rejected. */
  failures: readonly (SearchOut & { reason: string | null })[];
  /** Transfers of domains that are pending or accepted. */
  transfers: readonly TransferRow[];
  /** The newest unread notifications. */
  notifications: readonly NotificationOut[];
  /** Addresses that a test mail may be sent from. Empty: none, or the role may not send. */
  senders: readonly string[];
  /** Null: the caller does not administer the platform. */
  systemMail: SystemMail | null;
  /** Null: a deployment, or nothing to do here. */
  example: ExampleCard | null;
}

/** The first page of the dashboard: what is left to set up, the last days, and what needs attention. */
export function HomePage(content: HomeContent) {
  const { setup, week, failures, transfers, notifications, senders } = content;
  return (
    <AppLayout
      title="Home"
      at="/app"
      actions={
        senders.length === 0 ? null : (
          <TestMail senders={senders} hasOwnDomain={setup.hasDomain} isMain={isSetUp(setup)} />
        )
      }
    >
      <Invitations invitations={content.invitations} />
      <Checklist setup={setup} />
      <SystemMailNotice state={content.systemMail} />
      <Alerts notifications={notifications} />
      <Deadlines transfers={transfers} />
      {week === null || !setup.hasSent ? null : <WeekChart week={week} />}
      {failures.length === 0 ? null : <Failures failures={failures} />}
      {content.example === null ? null : <Example card={content.example} />}
    </AppLayout>
  );
}

const Invitations = ({ invitations }: Pick<HomeContent, "invitations">) =>
  invitations.length === 0 ? null : (
    <section class="notice" aria-label="Invitations">
      {invitations.map(({ id, invitedBy, workspace, role }) => (
        <Form class="spread" action={`/app/invitations/${id}/accept`}>
          <span>
            {invitedBy} invites you to the workspace <strong>{workspace.name}</strong> as{" "}
            {role === "member" ? "a member" : `an ${role}`}.
          </span>
          <Submit label="Join" kind="quiet" name={`Join ${workspace.name}`} />
        </Form>
      ))}
    </section>
  );

const systemMailIssues = {
  not_configured: "SYSTEM_MAILBOX is not set",
  malformed: "SYSTEM_MAILBOX is not an email address",
  no_mailbox: "SYSTEM_MAILBOX is not an active mailbox on a verified domain",
} as const;

const SystemMailNotice = ({ state }: { state: SystemMail | null }) =>
  state === null || state === "configured" ? null : (
    <section class="notice warn" aria-label="System mailbox">
      <p>
        <strong>No sign-in links, invitations and notices are sent: {systemMailIssues[state]}.</strong>
      </p>
      <p>
        Create a mailbox on a verified domain, set its address as SYSTEM_MAILBOX of the deployment, and deploy. Until
        then <code>npm run admin -- sign-in-link</code> signs administrators in.
      </p>
    </section>
  );

const Alerts = ({ notifications }: Pick<HomeContent, "notifications">) =>
  notifications.length === 0 ? null : (
    <section class="notice warn" aria-label="Unread alerts">
      {notifications.map(({ title, href, created_at }) => (
        <p class="spread">
          {href === null ? <strong>{title}</strong> : <a href={`/app${href}`}>{title}</a>}
          <span class="soft">
            <Time at={created_at} />
          </span>
        </p>
      ))}
      <LinkLine to="/app/notifications?unread=true" label="All unread notifications" />
    </section>
  );

const Deadlines = ({ transfers }: Pick<HomeContent, "transfers">) =>
  transfers.length === 0 ? null : (
    <>
      <h2>Deadlines</h2>
      <List
        caption="Deadlines"
        columns={["Domain", "Status", "To", "Until"]}
        rows={transfers.map(({ domainName, status, targetEmail, expiresAt, cooloffUntil }) => [
          <a href="/app/transfers">{domainName}</a>,
          <Status word={status} />,
          targetEmail,
          <Time at={cooloffUntil ?? expiresAt} />,
        ])}
      />
    </>
  );

const Failures = ({ failures }: Pick<HomeContent, "failures">) => (
  <>
    <h2>Last failures</h2>
    <List
      caption="Last failures"
      kind="failures"
      columns={["Status", "To", "Subject", "Reason", "Created"]}
      rows={failures.map(({ id, status, to_addresses: to, subject, reason, created_at }) => [
        <Status word={status} />,
        shortRecipients(to),
        <a href={`/app/emails/${id}`}>{subject === "" ? "(no subject)" : subject}</a>,
        reason,
        <Time at={created_at} />,
      ])}
    />
  </>
);
