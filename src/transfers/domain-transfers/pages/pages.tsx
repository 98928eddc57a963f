import { ButtonLine, counted, Form, Layout, Notice, Time } from "../../../http/ui/index.ts";
import type { Moves } from "../moves.ts";
import type { TransferRow } from "../queries.ts";
import type { TargetWorkspace } from "../targets.ts";

interface AcceptPageProps {
  transfer: TransferRow;
  moves: Moves;
  /** Workspaces that may get the domain. */
  targets: readonly TargetWorkspace[];
  error?: string;
}

/** The page of an accept link. Only its buttons change anything. */
export const acceptPage = ({ transfer, moves, targets, error }: AcceptPageProps) => (
  <Layout title={`Transfer of ${transfer.domainName}`}>
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <p>
      The workspace <strong>{transfer.sourceLabel}</strong> offers the domain <strong>{transfer.domainName}</strong> to{" "}
      <strong>{transfer.targetEmail}</strong>.
    </p>
    {transfer.note ? <p class="card">Their note: {transfer.note}</p> : null}
    <p>
      {counted(moves.mailboxes, "mailbox", "mailboxes")} and {counted(moves.messages, "message")} move with it. It moves
      24 hours after you accept. Until then its owners can stop the transfer.
    </p>
    {targets.length === 0 ? (
      <Notice kind="bad">You are not an owner or admin of a workspace that could get the domain.</Notice>
    ) : (
      <Form>
        <div class="field">
          <label for="target_org_id">Workspace that gets the domain</label>
          <select id="target_org_id" name="target_org_id">
            {targets.map(({ id, name }) => (
              <option value={id}>{name}</option>
            ))}
          </select>
        </div>
        <div class="field">
          <label>
            <input type="checkbox" name="rotate_dkim" value="on" /> Generate new DKIM keys
          </label>
          <p class="hint">The old keys sign until the DNS records of the new ones are seen.</p>
        </div>
        <button type="submit" name="decision" value="accept" class="wide">
          Accept the transfer
        </button>
      </Form>
    )}
    <Form>
      <button type="submit" name="decision" value="decline" class="quiet wide">
        Decline
      </button>
    </Form>
  </Layout>
);

interface AcceptedPageProps {
  domain: string;
  cooloffUntil: string | null;
  records: readonly { type: string; name: string; value: string }[];
}

/** The page after an acceptance. */
export const acceptedPage = ({ domain, cooloffUntil, records }: AcceptedPageProps) => (
  <Layout title="You have accepted the transfer">
    <p>
      <strong>{domain}</strong> moves to your workspace at <Time at={cooloffUntil ?? ""} as="whole" />, unless one of
      its owners stops the transfer.
    </p>
    {records.length === 0 ? null : <p>Publish these DNS records for the new DKIM keys:</p>}
    {records.map(({ type, name, value }) => (
      <dl class="facts">
        <dt>{type}</dt>
        <dd class="code">{name}</dd>
        <dt>Value</dt>
        <dd class="code">{value}</dd>
      </dl>
    ))}
    <HomeLink />
  </Layout>
);

/** The page after the recipient has declined. */
export const declinedPage = ({ domain }: { domain: string }) => (
  <Layout title="You have declined the transfer">
    <p>{domain} stays where it is. Its owners are notified.</p>
    <HomeLink />
  </Layout>
);

/** The page of a stop link. Only its button stops the transfer. */
export const stopPage = ({ transfer }: { transfer: TransferRow }) => (
  <Layout title={`Stop the transfer of ${transfer.domainName}?`}>
    <p>
      <strong>{transfer.targetEmail}</strong> has accepted the transfer from the workspace{" "}
      <strong>{transfer.sourceLabel}</strong>. The domain moves on <Time at={transfer.cooloffUntil ?? 0} as="whole" />.
    </p>
    <Form>
      <button type="submit" class="danger wide">
        Stop the transfer
      </button>
    </Form>
    <HomeLink />
  </Layout>
);

/** The page after a stop. */
export const stoppedPage = ({ domain }: { domain: string }) => (
  <Layout title="The transfer is stopped">
    <p>
      <strong>{domain}</strong> stays in its workspace. Both sides are notified.
    </p>
    <HomeLink />
  </Layout>
);

/** The page of a link that does not work, for this account or at this time. */
export const refusedPage = ({ reason, email }: { reason: string; email: string }) => (
  <Layout title="This link does not work">
    <p>{reason}.</p>
    <p>You are signed in as {email}. An offer ends when it is answered or taken back, and after seven days.</p>
    <HomeLink />
  </Layout>
);

const HomeLink = () => <ButtonLine to="/app" label="Go to the dashboard" kind="quiet" />;
