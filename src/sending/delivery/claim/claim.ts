import { linkUrl } from "../../../domains/hosts/index.ts";
import { addressKey } from "../../../lib/addresses.ts";
import type { MailCtx, WakeUp } from "../../../platform/context.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../../platform/db/random-id.ts";
import type { emails } from "../../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";
import {
  type ClaimedRow,
  type ClaimOptions,
  claimOrFindHeld,
  claimStatements,
} from "../../../platform/outbox/claim.ts";
import { type Lease, releaseStatement } from "../../../platform/outbox/lease.ts";
import {
  appendEventSql,
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  isHeldSql,
  isPending,
  messageIdOf,
  queuedAt,
  recipientKey,
  toState,
} from "../../emails/index.ts";
import {
  readSenders,
  type SenderFacts,
  type SenderQuery,
  type SenderRow,
  type Senders,
  toFacts,
} from "./read-senders.ts";

/** A claimed email with everything that preflight and composition need. */
export interface ClaimedMail {
  state: EmailState;
  /** The outbox row it belongs to, and how often that row was claimed. */
  outboxId: string;
  claims: number;
  /** True when the row is retried after an outage of the egress, before its retry time. */
  isAfterOutage: boolean;
  workspaceId: string;
  messageId: string;
  subject: string;
  fromEmail: string;
  fromName: string | null;
  /** Time of the email's last `queued` event, in milliseconds since 1970: its Date header (docs/contract/emails.md#send-request). */
  queuedAt: number;
  source: string;
  /** Id of the request that the email was accepted with, for the log; null without one. */
  requestId: string | null;
  /** Settings of the workspace; only tracking is read here. */
  settings: { tracking_opens?: boolean; tracking_clicks?: boolean };
  contentLocation: {
    id: string;
    contentKey: string | null;
    contentOffset: number;
    contentSize: number;
    content: string | null;
    workspace: number;
    variables: string | null;
    linkUrl: string;
  };
  /** Kind of its outbox row, which a later attempt keeps. */
  kind: "deliver" | "bulk";
  /** State of the broadcast that the email belongs to; null for other emails. A deleted broadcast is cancelled. */
  broadcast: { isCancelled: boolean; isPaused: boolean; isContactDeleted: boolean } | null;
  sender: SenderFacts;
}

export interface Claim extends Omit<Senders, "senders"> {
  /** Number of emails by id of each claimed row. */
  emailsOf: ReadonlyMap<string, number>;
  mails: ClaimedMail[];
}

// A due scheduled email becomes queued in the transaction that claims its row, so a cancel is either before it or too late.
const QUEUE_SCHEDULED = `
  UPDATE emails SET status = 'queued', version = version + 1, events = ${appendEventSql(`json_object(
    'id', ?6 || ${ID_SUFFIX_SQL}, 'type', 'queued', 'at', ?3)`)}
   WHERE n IN (
     SELECT e.n FROM leased o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value WHERE coalesce(e.outbox_id, e.id) = o.id)
     AND status = 'scheduled'`;

// A deferred email has its own outbox row, so a claimed row lists emails that belong to other rows by now. A row with the id of an
// email is always its own. A `sent` one was held by an egress that did not report before the lease ended.
const FIND_MAILS = `
  SELECT ${EMAIL_STATE_COLUMNS}, o.id AS row_id, o.claims, o.outage, e.message_id, e.subject, e.from_email, e.from_name,
         e.content_key, e.content_offset, e.content_size, e.content, e.domain_id, e.mailbox_id, e.user_id, e.source,
         e.variables, e.request_id, e.scheduled_at, b.status AS broadcast_status, b.paused_at AS broadcast_paused_at, o.kind,
         e.contact IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM contacts c JOIN contact_lists l ON l.n = c.list WHERE c.n = e.contact) AS is_contact_deleted
    FROM leased o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value
    LEFT JOIN broadcasts b ON b.n = e.broadcast
   WHERE (coalesce(e.outbox_id, e.id) = o.id OR e.id = o.id)
     AND (e.status = 'queued' OR (e.status = 'sent' AND ${isHeldSql("e.recipients")}))`;

type Origin =
  | "domain_id"
  | "mailbox_id"
  | "user_id"
  | "source"
  | "from_email"
  | "from_name"
  | "message_id"
  | "request_id";
type Content = "subject" | "content" | "content_key" | "content_offset" | "content_size" | "variables";

interface MailRow extends EmailStateRow, StoredColumns<typeof emails, Origin | Content | "scheduled_at"> {
  row_id: string;
  claims: number;
  outage: "waiting" | "released" | null;
  broadcast_status: string | null;
  broadcast_paused_at: number | null;
  is_contact_deleted: 0 | 1;
  kind: "deliver" | "bulk";
}

/** The claim of some rows failed, and nothing of it is held. `cause`: why. */
export class ClaimError extends Error {}

/**
 * Claims the outbox rows that no other run has claimed, and due rows with them, and reads their emails, in one
 * D1 batch. Then reads what may have changed since accept from the main database. When that fails, the rows are released
 * with `claims` unchanged, since nothing was tried. Throws ClaimError.
 */
export async function claimMail(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  lease: Lease,
  options: ClaimOptions,
): Promise<Claim> {
  const claimed: ClaimedRow[] = [];
  try {
    const { rows, found } = await claimWithMails(ctx, wakeUps, lease, options);
    claimed.push(...rows);
    const emailsOf = new Map(rows.map(({ id, ref }) => [id, (JSON.parse(ref) as number[]).length]));
    const mails = found.map((row) => ({ row, state: toState(row) }));
    if (mails.length === 0) return { emailsOf, mails: [], ...NO_FACTS };
    const sources = mails.map(({ row, state }) => toSource(row, state));
    const { senders, ...facts } = await readSenders(ctx, sources);
    return {
      emailsOf,
      mails: mails.flatMap(({ row, state }, index) => toMail(ctx, row, state, senders.get(index))),
      ...facts,
    };
  } catch (cause) {
    const ids = claimed.map(({ id }) => id);
    if (ids.length > 0) await releaseStatement(ctx, lease, ids, ctx.now()).run();
    throw new ClaimError("outbox rows could not be claimed", { cause });
  }
}

/** Claims rows and reads their emails, in one D1 batch, also when its connection is lost. */
function claimWithMails(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  lease: Lease,
  options: ClaimOptions,
): Promise<{ rows: ClaimedRow[]; found: MailRow[] }> {
  const { claim, find, onLeased } = claimStatements(ctx, wakeUps, lease, options);
  const findMails = onLeased(FIND_MAILS);
  const queue = onLeased(QUEUE_SCHEDULED, idPrefix(ctx));
  const claimAll = async () => {
    const [rows, , found] = await ctx.mail.listEach<[ClaimedRow, unknown, MailRow]>([claim, queue, findMails]);
    return { rows, found };
  };
  return claimOrFindHeld(ctx, claimAll, async () => {
    const [rows, found] = await ctx.mail.listEach<[ClaimedRow, MailRow]>([find, findMails]);
    return rows.length > 0 ? { rows, found } : null;
  });
}

/** The facts of a claim without emails. */
const NO_FACTS = {
  keys: [],
  suppressed: new Set<string>(),
  withoutTopic: new Set<number>(),
  softBounced: new Set<string>(),
  isOutage: false,
  waits: [],
};

function toSource(row: MailRow, { n, recipients, topic = null }: EmailState): SenderQuery {
  return {
    n,
    emailId: row.id,
    workspace: row.workspace,
    domainId: row.domain_id,
    mailboxId: row.mailbox_id,
    fromKey: addressKey(row.from_email),
    userId: row.user_id,
    topic,
    scope: {
      source: row.source,
      isRetry: row.retried_at !== null,
      offersUnsubscribe: recipients.some(({ unsubscribe }) => unsubscribe === true),
    },
    recipientKeys: recipients.filter(({ state }) => isPending(state)).map(recipientKey),
  };
}

function toBroadcastState(row: MailRow): ClaimedMail["broadcast"] {
  if (row.broadcast === null) return null;
  const isCancelled = row.broadcast_status === null || row.broadcast_status === "cancelled";
  return {
    isCancelled,
    isPaused: row.broadcast_paused_at !== null,
    isContactDeleted: row.is_contact_deleted === 1,
  };
}

/** Returns no mail when the workspace is purged: its rows are deleted too. */
function toMail(ctx: MailCtx, row: MailRow, state: EmailState, sender: SenderRow | undefined): ClaimedMail[] {
  if (!sender) return [];
  return [
    {
      state,
      outboxId: row.row_id,
      claims: row.claims,
      isAfterOutage: row.outage === "released",
      workspaceId: sender.workspace_id,
      messageId: messageIdOf({ id: row.id, messageId: row.message_id, fromEmail: row.from_email }),
      subject: row.subject,
      fromEmail: row.from_email,
      fromName: row.from_name,
      queuedAt: queuedAt({ ...state, scheduledAt: row.scheduled_at }),
      source: row.source,
      requestId: row.request_id,
      settings: JSON.parse(sender.settings) as ClaimedMail["settings"],
      contentLocation: {
        id: row.id,
        contentKey: row.content_key,
        contentOffset: row.content_offset,
        contentSize: row.content_size,
        content: row.content,
        workspace: row.workspace,
        variables: row.variables,
        linkUrl: linkUrl(ctx.settings, sender.link_host),
      },
      kind: row.kind,
      broadcast: toBroadcastState(row),
      sender: toFacts(row.domain_id, sender),
    },
  ];
}
