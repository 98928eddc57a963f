import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  Chips,
  Dialog,
  Empty,
  Field,
  Form,
  Layout,
  List,
  Live,
  Notice,
  Pager,
  PostButton,
  Status,
  Time,
} from "../../../http/ui/index.ts";
import { iso } from "../../../lib/time.ts";
import type { DeadLetterRow, listBlockedHosts, OutboxRow } from "../../../operations/admin/index.ts";

interface PageProps {
  caller: CallerCtx;
  next: string | null;
  notice?: string | undefined;
}

interface OutboxPageProps extends PageProps {
  rows: readonly OutboxRow[];
  /** `main`, or the number of a mail database. */
  database: string;
  databases: readonly string[];
}

/** The work of one database that is due or scheduled, soonest first. */
export const OutboxPage = ({ caller, rows, database, databases, next, notice }: OutboxPageProps) => (
  <Layout
    title="Outboxes"
    caller={caller}
    at="/app/admin/outboxes/main"
    actions={<PostButton to="/app/admin/flush" label="Release emails after an outage" kind="quiet" />}
    notice={notice}
  >
    <Chips
      label="Database"
      choices={databases.map((name) => ({
        href: `/app/admin/outboxes/${name}`,
        label: name === "main" ? "main" : `mail ${name}`,
        isChosen: name === database,
      }))}
    />
    <Live id="oldest" isPolled={false}>
      <OldestDue rows={rows} now={caller.now()} />
    </Live>
    <Live id="outbox">
      {rows.length === 0 ? (
        <Empty>This outbox is empty: all work is done.</Empty>
      ) : (
        <List
          caption="Outbox rows"
          live={{ name: "row", ids: rows.map(({ id }) => id) }}
          columns={["Due", "Kind", "State", "Claims", "Id", "Action"]}
          rows={rows.map(({ due_at, id, kind, claims, is_claimed }) => [
            <Time at={due_at} />,
            kind,
            <Status word={is_claimed === 1 ? "claimed" : due_at <= caller.now() ? "due" : "waiting"} />,
            claims,
            <span class="code">{id}</span>,
            is_claimed === 1 ? null : (
              <PostButton
                to={`/app/admin/outboxes/${database}/requeue`}
                label="Due now"
                kind="link"
                name={`Make ${id} due now`}
                fields={{ id, due_at: iso(due_at) }}
              />
            ),
          ])}
        />
      )}
    </Live>
    <Pager next={next} label="Later" />
  </Layout>
);

function OldestDue({ rows, now }: Pick<OutboxPageProps, "rows"> & { now: number }) {
  const oldest = rows.find((row) => row.is_claimed === 0);
  const minutes = oldest === undefined ? 0 : Math.floor((now - oldest.due_at) / 60_000);
  return minutes < 2 ? null : (
    <Notice kind="warn">The oldest row is due for {minutes.toLocaleString("en")} minutes.</Notice>
  );
}

interface DeadLettersPageProps extends PageProps {
  letters: readonly DeadLetterRow[];
}

/** Queue messages that failed every retry. */
export const DeadLettersPage = ({ caller, letters, next, notice }: DeadLettersPageProps) => (
  <Layout title="Dead letters" caller={caller} at="/app/admin/dead-letters" notice={notice}>
    <Live id="letters">
      {letters.length === 0 ? (
        <Empty>No queue message has failed every retry.</Empty>
      ) : (
        <List
          caption="Dead letters"
          live={{ name: "letter", ids: letters.map(({ id }) => id) }}
          columns={["Recorded", "Queue", "Message", "Action"]}
          rows={letters.map(({ id, queue, body, recorded_at }) => [
            <Time at={recorded_at} />,
            queue,
            <span class="code">{body}</span>,
            <span class="actions">
              <PostButton
                to={`/app/admin/dead-letters/${id}/replay`}
                label="Send again"
                kind="link"
                name={`Send again: ${id}`}
              />
              <a class="action" href={`/app/admin/dead-letters/${id}/delete`} aria-label={`Delete ${id}`}>
                Delete
              </a>
            </span>,
          ])}
        />
      )}
    </Live>
    <Pager next={next} label="More" />
  </Layout>
);

interface BlockedHostsPageProps extends PageProps {
  hosts: Awaited<ReturnType<typeof listBlockedHosts>>;
  host: string;
  refusal?: Refusal | undefined;
}

/** Hosts to which tracking links do not lead. */
export const BlockedHostsPage = ({ caller, hosts, host, next, notice, refusal }: BlockedHostsPageProps) => (
  <Layout
    title="Blocked hosts"
    caller={caller}
    at="/app/admin/blocked-hosts"
    actions={<BlockDialog {...{ host, refusal }} />}
    notice={notice}
  >
    {hosts.length === 0 ? (
      <Empty>No host is blocked. Links of emails lead to every host.</Empty>
    ) : (
      <List
        caption="Blocked hosts"
        columns={["Host", "Since", "Action"]}
        rows={hosts.map((row) => [
          row.host,
          <Time at={row.created_at} />,
          <PostButton
            to="/app/admin/blocked-hosts/remove"
            label="Unblock"
            kind="link"
            name={`Unblock ${row.host}`}
            fields={{ host: row.host }}
          />,
        ])}
      />
    )}
    <Pager next={next} label="More" />
  </Layout>
);

const BlockDialog = ({ host, refusal }: Pick<BlockedHostsPageProps, "host" | "refusal">) => (
  <Dialog label="Block a host" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/admin/blocked-hosts" refusal={refusal}>
      <Field
        name="host"
        label="Host"
        hint="With its sub-domains. Within a minute, links to it in sent emails return 410."
        placeholder="phishing.example.net"
        value={host}
        errors={refusal?.errors}
        maxlength={253}
      />
      <button type="submit">Block</button>
    </Form>
  </Dialog>
);
