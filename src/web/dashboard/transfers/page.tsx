import {
  AppLayout,
  Check,
  Empty,
  ErrorSummary,
  Form,
  List,
  PostButton,
  Status,
  Time,
  TimeLeft,
  useCaller,
  useScope,
} from "../../../http/ui/index.ts";
import {
  type listTargets,
  REQUEST_WINDOW_MS,
  SAFETY_WINDOW_MS,
  shownStatus,
  type TransferRow,
} from "../../../transfers/domain-transfers/index.ts";

interface TransfersPageProps {
  incoming: readonly TransferRow[];
  outgoing: readonly TransferRow[];
  /** Workspaces into which the user may accept. */
  targets: Targets;
}

/** The transfers of domains that are addressed to the user, and those that the user has initiated. */
export const TransfersPage = ({ incoming, outgoing, targets }: TransfersPageProps) => (
  <AppLayout title="Transfers">
    <ErrorSummary />
    <h2>Offered to you</h2>
    {incoming.length === 0 ? <p>No domain is offered to {useCaller().actor.email}.</p> : null}
    {incoming.map((transfer) => (
      <Incoming transfer={transfer} targets={targets} />
    ))}
    <h2>Offered by you</h2>
    {outgoing.length === 0 ? (
      <Empty action={{ href: "/app/domains", label: "Go to the domains" }}>
        You have offered no domain of {useCaller().workspace.name}. A transfer starts on the page of a verified domain.
      </Empty>
    ) : (
      <Outgoing transfers={outgoing} />
    )}
  </AppLayout>
);

type Targets = Awaited<ReturnType<typeof listTargets>>;

const Incoming = ({ transfer, targets }: { transfer: TransferRow; targets: Targets }) => (
  <section class="card" aria-label={transfer.domainName}>
    <p>
      <strong>{transfer.domainName}</strong> from {transfer.sourceLabel} <Status word={transfer.status} />
    </p>
    {transfer.note ? <p>Their note: {transfer.note}</p> : null}
    {transfer.cooloffUntil === null ? (
      <p class="soft">
        Open until <Time at={transfer.expiresAt} as="whole" />. It moves 24 hours after you accept.
      </p>
    ) : (
      <p class="soft">
        It moves on <Time at={transfer.cooloffUntil} as="whole" />, unless its owners stop it.
      </p>
    )}
    <Window {...transfer} />
    {transfer.status === "pending" && useScope("domains:manage") ? (
      <Decision id={transfer.id} targets={targets} />
    ) : null}
  </section>
);

function Decision({ id, targets }: { id: string; targets: Targets }) {
  const select = `target-${id}`;
  return (
    <>
      {targets.length === 0 ? (
        <p>You are not an owner or admin of a workspace that could get the domain.</p>
      ) : (
        <Form class="filter" action={`/app/transfers/${id}/accept`}>
          <div class="field">
            <label for={select}>Workspace that gets it</label>
            <select id={select} name="target_org_id">
              {targets.map((target) => (
                <option value={target.id}>{target.name}</option>
              ))}
            </select>
          </div>
          <Check name="rotate_dkim" label="New DKIM keys" />
          <button type="submit">Accept</button>
        </Form>
      )}
      <PostButton to={`/app/transfers/${id}/decline`} label="Decline" kind="quiet" />
    </>
  );
}

const Outgoing = ({ transfers }: { transfers: readonly TransferRow[] }) => (
  <List
    caption="Transfers that you have initiated"
    kind="transfers"
    columns={["Domain", "To", "Status", "Initiated", "Deadline", "Action"]}
    rows={transfers.map((transfer) => {
      const status = shownStatus(transfer, useCaller().now());
      return [
        transfer.domainName,
        transfer.targetEmail,
        <Status word={status} />,
        <Time at={transfer.initiatedAt} />,
        deadlineOf(transfer, status),
        status === "pending" && useScope("domains:manage") ? (
          <PostButton
            to={`/app/transfers/${transfer.id}/cancel`}
            label="Cancel"
            kind="danger"
            name={`Cancel the transfer of ${transfer.domainName}`}
          />
        ) : status === "accepted" ? (
          "Stop it by the link in your mail"
        ) : null,
      ];
    })}
  />
);

function deadlineOf({ expiresAt, cooloffUntil }: TransferRow, status: string) {
  if (status !== "pending" && status !== "accepted") return null;
  return (
    <>
      <Time at={cooloffUntil ?? expiresAt} as="whole" /> <Window expiresAt={expiresAt} cooloffUntil={cooloffUntil} />
    </>
  );
}

/** Shows the time left of the 7 days to accept a transfer, or of the 24 hours to stop it. */
const Window = ({ expiresAt, cooloffUntil }: Pick<TransferRow, "expiresAt" | "cooloffUntil">) =>
  cooloffUntil === null ? (
    <TimeLeft until={expiresAt} of={REQUEST_WINDOW_MS} what="to accept it" />
  ) : (
    <TimeLeft until={cooloffUntil} of={SAFETY_WINDOW_MS} what="to stop it" />
  );
