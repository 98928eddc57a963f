import {
  ActionLink,
  AppLayout,
  Chips,
  Empty,
  Field,
  FormDialog,
  List,
  Live,
  Notice,
  PostButton,
  PostLink,
  Status,
  Time,
  useCaller,
} from "../../../http/ui/index.ts";
import { iso } from "../../../lib/time.ts";
import type { DeadLetterRow, listBlockedHosts, OutboxRow } from "../../../operations/admin/index.ts";
import { MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import type { ReceiverRow } from "../../../sending/receivers/index.ts";

interface OutboxPageProps {
  rows: readonly OutboxRow[];
  /** `main`, or the number of a mail database. */
  database: string;
  databases: readonly string[];
}

/** The work of one database that is due or scheduled, soonest first. */
export const OutboxPage = ({ rows, database, databases }: OutboxPageProps) => (
  <AppLayout
    title="Outboxes"
    at="/app/admin/outboxes/main"
    actions={<PostButton to="/app/admin/flush" label="Release emails after an outage" kind="quiet" />}
  >
    <Chips
      label="Database"
      choices={databases.map((name) => [name, name === "main" ? "main" : `mail ${name}`])}
      chosen={database}
      to={(name) => `/app/admin/outboxes/${name}`}
    />
    <Live id="oldest" isPolled={false}>
      <OldestDue rows={rows} now={useCaller().now()} />
    </Live>
    <Live id="outbox">
      <List
        caption="Outbox rows"
        live={{ name: "row", ids: rows.map(({ id }) => id) }}
        columns={["Due", "Kind", "State", "Claims", "Id", "Action"]}
        empty={<Empty>This outbox is empty: all work is done.</Empty>}
        rows={rows.map(({ due_at, id, kind, claims, is_claimed }) => [
          <Time at={due_at} />,
          kind,
          <Status word={is_claimed === 1 ? "claimed" : due_at <= useCaller().now() ? "due" : "waiting"} />,
          claims,
          <span class="code">{id}</span>,
          is_claimed === 1 ? null : (
            <PostLink
              to={`/app/admin/outboxes/${database}/requeue`}
              label="Due now"
              name={`Make ${id} due now`}
              fields={{ id, due_at: iso(due_at) }}
            />
          ),
        ])}
      />
    </Live>
  </AppLayout>
);

function OldestDue({ rows, now }: Pick<OutboxPageProps, "rows"> & { now: number }) {
  const oldest = rows.find((row) => row.is_claimed === 0);
  const minutes = oldest === undefined ? 0 : Math.floor((now - oldest.due_at) / 60_000);
  return minutes < 2 ? null : (
    <Notice kind="warn">The oldest row is due for {minutes.toLocaleString("en")} minutes.</Notice>
  );
}

/** Queue messages that failed every retry. */
export const DeadLettersPage = ({ letters }: { letters: readonly DeadLetterRow[] }) => (
  <AppLayout title="Dead letters">
    <Live id="letters">
      <List
        caption="Dead letters"
        live={{ name: "letter", ids: letters.map(({ id }) => id) }}
        columns={["Recorded", "Queue", "Message", "Action"]}
        empty={<Empty>No queue message has failed every retry.</Empty>}
        rows={letters.map(({ id, queue, body, recorded_at }) => [
          <Time at={recorded_at} />,
          queue,
          <span class="code">{body}</span>,
          <span class="actions">
            <PostLink to={`/app/admin/dead-letters/${id}/replay`} label="Send again" name={`Send again: ${id}`} />
            <ActionLink to={`/app/admin/dead-letters/${id}/delete`} label="Delete" name={`Delete ${id}`} />
          </span>,
        ])}
      />
    </Live>
  </AppLayout>
);

/** Hosts to which tracking links do not lead. */
export const BlockedHostsPage = ({ hosts }: { hosts: Awaited<ReturnType<typeof listBlockedHosts>> }) => (
  <AppLayout title="Blocked hosts" actions={<BlockDialog />}>
    <List
      caption="Blocked hosts"
      columns={["Host", "Since", "Action"]}
      empty={<Empty>No host is blocked. Links of emails lead to every host.</Empty>}
      rows={hosts.map((row) => [
        row.host,
        <Time at={row.created_at} />,
        <PostLink
          to="/app/admin/blocked-hosts/remove"
          label="Unblock"
          name={`Unblock ${row.host}`}
          fields={{ host: row.host }}
        />,
      ])}
    />
  </AppLayout>
);

const BlockDialog = () => (
  <FormDialog label="Block a host" icon="plus" action="/app/admin/blocked-hosts" button="Block">
    <Field
      name="host"
      label="Host"
      hint="With its sub-domains. Within a minute, links to it in sent emails return 410."
      placeholder="phishing.example.net"
      maxlength={253}
    />
  </FormDialog>
);

/** The mail systems that get mail today, first those that have slowed an egress down. */
export const ReceiversPage = ({ receivers }: { receivers: readonly ReceiverRow[] }) => (
  <AppLayout title="Receivers">
    <Live id="receivers">
      <List
        caption="Receivers"
        columns={["Receiver", "Accepted today", "Waits until", "Reply"]}
        empty={<Empty>No SMTP egress has reported on a receiver today.</Empty>}
        rows={receivers.map(({ receiver, accepted_today, until, reason, egress }) => [
          egress === null || egress === MAIN_EGRESS ? receiver : `${receiver} (${egress})`,
          accepted_today.toLocaleString("en"),
          until === null ? "" : <Time at={until} />,
          reason ?? "",
        ])}
      />
    </Live>
  </AppLayout>
);
