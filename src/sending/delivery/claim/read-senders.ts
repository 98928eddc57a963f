import type { Ctx } from "../../../platform/context.ts";
import { jsonChunks } from "../../../platform/db/json-chunks.ts";
import { SANDBOX_MEMBERS_SQL } from "../../../platform/db/sandbox-members.ts";
import type { dkimKeys, softBounces, suppressions } from "../../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import { AddressForms, formsOf } from "../../../platform/erased-addresses/forms.ts";
import { isSuppressing } from "../../emails/index.ts";
import { domainOf, FIND_WAITS, type ReceiverWaitRow } from "../../receivers/index.ts";
import { findLeftOfMailsStatements, type LeftRow, type TopicRecipient } from "../../topics/index.ts";
import type { SenderState } from "../rules.ts";

/** Facts about the sender that may have changed since the email was accepted. */
export interface SenderFacts extends SenderState {
  domainId: string;
  /** True when the return path of the domain is verified in its DNS. */
  hasReturnPath: boolean;
  /** How far the workspace has stopped itself (src/platform/bulk-pauses/rules.ts). */
  bulkPause: number;
  /** Name of the egress of its domain, else of its workspace; null: none of their own. */
  egress: string | null;
  /** The active host of its links; null: that of the service. */
  linkHost: string | null;
  /** Set for a test domain: the canonical addresses of the members of its workspace, and the name of the workspace. */
  sandbox: { members: ReadonlySet<string>; workspace: string } | null;
}

export type DkimKeyRow = StoredColumns<typeof dkimKeys, "id" | "domain_id" | "selector" | "algorithm" | "private_key">;

/** A claimed email: what the main database is asked about it. */
export interface SenderQuery {
  n: number;
  emailId: string;
  workspace: number;
  domainId: string;
  mailboxId: string;
  /** Canonical address of its sender: that of the mailbox or an alias. */
  fromKey: string;
  userId: string | null;
  scope: { source: string; isRetry: boolean; offersUnsubscribe?: boolean };
  /** Number of its topic; null: none. */
  topic: number | null;
  /** Canonical addresses of the recipients that are still queued. */
  recipientKeys: readonly string[];
}

/** The rows of an email's workspace, domain, mailbox and user. */
export interface SenderRow {
  workspace_id: string;
  settings: string;
  sending_paused_at: number | null;
  bulk_pause: number;
  restricted_at: number | null;
  domain: string | null;
  domain_status: string | null;
  return_path: string | null;
  is_active: number | null;
  egress: string | null;
  link_host: string | null;
  members: string | null;
  workspace_name: string;
  is_outage: 0 | 1;
}

export interface Senders {
  /** By index of the query. Emails of a workspace that is purged have none. */
  senders: ReadonlyMap<number, SenderRow>;
  keys: DkimKeyRow[];
  /** Suppressed recipients, named by `suppressedName`. */
  suppressed: ReadonlySet<string>;
  /** Emails whose topic was deleted, by number. */
  withoutTopic: ReadonlySet<number>;
  /** Recipients whose last emails had soft bounces, named the same. */
  softBounced: ReadonlySet<string>;
  /** An outage of the egress lasts, as far as the main database knows. */
  isOutage: boolean;
  /** The domains of recipients whose receivers take no mail for a time. */
  waits: readonly ReceiverWaitRow[];
}

// One row for each combination of workspace, domain, mailbox, user and sender, since the emails of a claim share few of them.
const FIND_SENDERS = `
  SELECT j.key AS position, w.id AS workspace_id, w.name AS workspace_name, w.settings, w.sending_paused_at, w.bulk_pause, u.restricted_at, d.name AS domain,
         d.status AS domain_status, d.records->>'return_path' AS return_path, m.is_active,
         coalesce(d.egress, w.egress) AS egress,
         (SELECT h.name FROM custom_hosts h WHERE h.domain_id = d.id AND h.purpose = 'link' AND h.status = 'active') AS link_host,
         ${SANDBOX_MEMBERS_SQL} AS members,
         EXISTS (SELECT 1 FROM egress_outages WHERE ended_at IS NULL) AS is_outage
    FROM json_each(?1) j CROSS JOIN workspaces w ON w.number = j.value->>0
    LEFT JOIN domains d ON d.id = j.value->>1 AND d.workspace = w.number
    LEFT JOIN mailboxes m ON m.id = j.value->>2 AND m.workspace = w.number
     AND ((m.domain_id = d.id AND m.address = j.value->>4) OR EXISTS (
       SELECT 1 FROM mailbox_aliases a WHERE a.workspace = w.number AND a.address = j.value->>4 AND a.mailbox_id = m.id AND a.domain_id = d.id))
    LEFT JOIN users u ON u.id = j.value->>3`;

const FIND_KEYS = `
  SELECT id, domain_id, selector, algorithm, private_key FROM dkim_keys
   WHERE domain_id IN (SELECT value FROM json_each(?1)) AND activated_at IS NOT NULL AND retired_at IS NULL`;

const FIND_SUPPRESSIONS = `
  SELECT s.workspace, s.email, s.reason, s.email_id, s.unsubscribed_at FROM json_each(?1) j
    CROSS JOIN suppressions s ON s.workspace = j.value->>0 AND s.email = j.value->>1`;

// Before the outcome of an email is written, it may have listed the address itself.
const FIND_SOFT_BOUNCES = `
  SELECT b.workspace, b.email, b.email_ids, b.listed_at FROM json_each(?1) j
    CROSS JOIN soft_bounces b ON b.workspace = j.value->>0 AND b.email = j.value->>1`;

type SoftBounceRow = StoredColumns<typeof softBounces, "workspace" | "email" | "email_ids" | "listed_at">;

type SuppressionRow = StoredColumns<
  typeof suppressions,
  "workspace" | "email" | "reason" | "email_id" | "unsubscribed_at"
>;

/** Identifies a recipient of an email among the suppressed ones: a suppression may apply to one email only. */
export const suppressedName = (n: number, key: string) => `${n} ${key}`;

/**
 * Reads from the main database what decides about claimed emails: sender, DKIM keys and suppressions, in one D1 batch.
 * A suppression that the email itself caused does not count for it: its outcome was not written after the suppression.
 */
export async function readSenders(ctx: Ctx, mails: readonly SenderQuery[]): Promise<Senders> {
  const combinations = mails.map(({ workspace, domainId, mailboxId, userId, fromKey }) =>
    JSON.stringify([workspace, domainId, mailboxId, userId, fromKey]),
  );
  const unique = [...new Set(combinations)];
  const domainIds = [...new Set(mails.map(({ domainId }) => domainId))];
  const recipients = mails.flatMap(({ workspace, recipientKeys }) =>
    recipientKeys.flatMap((key) => formsOf(key).map((form) => JSON.stringify([workspace, form]))),
  );
  const chunks = jsonChunks([...new Set(recipients)]);
  const topicStatements = findLeftOfMailsStatements(ctx, topicRecipients(mails));
  const domains = new Set(mails.flatMap(({ recipientKeys }) => recipientKeys.map(domainOf)));
  const [senders, keys, waits, ...found] = await ctx.db.listEach<
    [SenderRow & { position: number }, DkimKeyRow, ReceiverWaitRow, ...(SuppressionRow & SoftBounceRow & LeftRow)[]]
  >([
    ctx.db.prepare(FIND_SENDERS).bind(`[${unique.join()}]`),
    ctx.db.prepare(FIND_KEYS).bind(JSON.stringify(domainIds)),
    ctx.db.prepare(FIND_WAITS).bind(JSON.stringify([...domains]), ctx.now()),
    ...[FIND_SUPPRESSIONS, FIND_SOFT_BOUNCES].flatMap((sql) => chunks.map((chunk) => ctx.db.prepare(sql).bind(chunk))),
    ...topicStatements,
  ]);
  const forms = new AddressForms(mails.flatMap(({ recipientKeys }) => recipientKeys));
  const bounced = forms.toRows<SoftBounceRow>(found.slice(chunks.length, 2 * chunks.length).flat());
  const left = findLeft(mails, found.slice(2 * chunks.length).flat());
  const rows = new Map(senders.map((row) => [unique[row.position], row]));
  return {
    senders: new Map(
      combinations.flatMap((combination, index) => {
        const row = rows.get(combination);
        return row ? [[index, row] as const] : [];
      }),
    ),
    keys,
    waits,
    isOutage: [...rows.values()].some(({ is_outage }) => is_outage === 1),
    suppressed: new Set([
      ...findSuppressed(mails, forms.toRows<SuppressionRow>(found.slice(0, chunks.length).flat())),
      ...findSoftBounced(mails, bounced, ({ scope, emailId }, row) => {
        const isListed = row.listed_at !== null && !row.email_ids.includes(emailId);
        return isListed && isSuppressing({ reason: "soft_bounces", isUnsubscribed: false }, scope);
      }),
      ...left.names,
    ]),
    withoutTopic: left.withoutTopic,
    softBounced: findSoftBounced(mails, bounced, () => true),
  };
}

function findSuppressed(mails: readonly SenderQuery[], rows: readonly SuppressionRow[]): Set<string> {
  const byAddress = Map.groupBy(rows, (row) => suppressedName(row.workspace, row.email));
  const names = mails.flatMap(({ n, emailId, workspace, scope, recipientKeys }) =>
    recipientKeys.flatMap((key) => {
      const entries = byAddress.get(suppressedName(workspace, key)) ?? [];
      const isSuppressed = entries.some(({ reason, email_id, unsubscribed_at }) => {
        if (email_id === emailId) return false;
        return isSuppressing({ reason, isUnsubscribed: unsubscribed_at !== null }, scope);
      });
      return isSuppressed ? [suppressedName(n, key)] : [];
    }),
  );
  return new Set(names);
}

/** Returns the queued recipients of mails that have a topic, each once for a topic. */
function topicRecipients(mails: readonly SenderQuery[]): TopicRecipient[] {
  const rows = mails.flatMap(({ workspace, topic, recipientKeys }) =>
    topic === null
      ? []
      : recipientKeys.map((email) => [leftName({ workspace, topic, email }), { workspace, topic, email }] as const),
  );
  return [...new Map(rows).values()];
}

const leftName = ({ workspace, topic, email }: TopicRecipient) => `${workspace} ${topic} ${email}`;

/** Returns the recipients who are not subscribed to the topic of their mail, and the mails whose topic was deleted. */
function findLeft(mails: readonly SenderQuery[], rows: readonly LeftRow[]) {
  const byName = new Map(rows.map((row) => [leftName(row), row]));
  const found = mails.flatMap(({ n, workspace, topic, recipientKeys }) =>
    recipientKeys.flatMap((email) => {
      const row = topic === null ? undefined : byName.get(leftName({ workspace, topic, email }));
      return row ? [{ n, name: suppressedName(n, email), isDeleted: row.isDeleted === 1 }] : [];
    }),
  );
  return {
    names: found.map(({ name }) => name),
    withoutTopic: new Set(found.flatMap(({ n, isDeleted }) => (isDeleted ? [n] : []))),
  };
}

/** Returns the recipients with soft bounces for which `isWanted` is true. */
function findSoftBounced(
  mails: readonly SenderQuery[],
  rows: readonly SoftBounceRow[],
  isWanted: (mail: SenderQuery, row: SoftBounceRow) => boolean,
): Set<string> {
  const byAddress = Map.groupBy(rows, (row) => suppressedName(row.workspace, row.email));
  const names = mails.flatMap((mail) =>
    mail.recipientKeys.flatMap((key) => {
      const found = byAddress.get(suppressedName(mail.workspace, key)) ?? [];
      return found.some((row) => isWanted(mail, row)) ? [suppressedName(mail.n, key)] : [];
    }),
  );
  return new Set(names);
}

/** Returns the facts that `checkSender` decides by. */
export function toFacts(domainId: string, row: SenderRow): SenderFacts {
  return {
    domainId,
    domain: row.domain,
    domainStatus: row.domain_status,
    hasReturnPath: row.return_path === "verified",
    mailboxActive: row.is_active === 1,
    paused: row.sending_paused_at !== null,
    bulkPause: row.bulk_pause,
    restricted: row.restricted_at !== null,
    egress: row.egress,
    linkHost: row.link_host,
    sandbox: row.members === null ? null : { members: new Set(JSON.parse(row.members)), workspace: row.workspace_name },
  };
}
