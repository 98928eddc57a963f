import type { MailCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../db/random-id.ts";
import { EMAIL_STATE_COLUMNS, type EmailState, type EmailStateRow, toState } from "../emails/index.ts";
import type { WakeUp } from "../outbox/index.ts";
import { type ClaimedRow, claimStatement, type Lease } from "../outbox/index.ts";
import { findSuppressedStatement, suppressedRecipients } from "./find-suppressed.ts";

/** A claimed email with everything that preflight and composition need. */
export interface ClaimedMail {
  state: EmailState;
  /** The outbox row it belongs to, and how often that row was claimed. */
  outboxId: string;
  claims: number;
  /** True when the row was released after an outage of the egress, before its retry time. */
  isReleased: boolean;
  workspaceId: string;
  messageId: string;
  subject: string;
  fromEmail: string;
  fromName: string | null;
  /** Time of the email's last `queued` event, in milliseconds since 1970: its Date header (decisions 4). */
  queuedAt: number;
  source: string;
  /** Settings of the workspace; only tracking is read here. */
  settings: { tracking_opens?: boolean; tracking_clicks?: boolean };
  contentLocation: {
    id: string;
    contentKey: string | null;
    contentOffset: number;
    contentSize: number;
    content: string | null;
  };
  sender: SenderFacts;
}

/** Facts about the sender that may have changed since the email was accepted. */
export interface SenderFacts {
  domainId: string;
  /** Null when the domain no longer belongs to this workspace. */
  domain: string | null;
  domainStatus: string | null;
  /** Whether the return path of the domain is verified in its DNS. */
  hasReturnPath: boolean;
  mailboxActive: boolean;
  paused: boolean;
  restricted: boolean;
}

export interface DkimKeyRow {
  id: string;
  domain_id: string;
  selector: string;
  algorithm: "rsa-sha256" | "ed25519-sha256";
  private_key: string;
}

export interface Claim {
  rows: ClaimedRow[];
  mails: ClaimedMail[];
  keys: DkimKeyRow[];
  /** Suppressed recipients, named by `suppressedName`. */
  suppressed: ReadonlySet<string>;
}

const CLAIMED_EMAILS =
  "outbox o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value WHERE o.due_at = ?1 AND o.token = ?2";

// A due scheduled email becomes queued in the transaction that claims its row, so a cancel is either before it or too late.
const RELEASE_SCHEDULED = `
  UPDATE emails SET status = 'queued', version = version + 1, events = json_insert(events, '$[#]', json_object(
    'id', ?3 || ${ID_SUFFIX_SQL}, 'type', 'queued', 'at', ?4))
   WHERE n IN (SELECT e.n FROM ${CLAIMED_EMAILS} AND coalesce(e.outbox_id, e.id) = o.id) AND status = 'scheduled'`;

// A deferred email has its own outbox row, so a claimed row lists emails that belong to other rows by now.
const FIND_MAILS = `
  SELECT ${EMAIL_STATE_COLUMNS}, o.id AS outbox_id, o.claims, o.outage, e.message_id, e.subject, e.from_email, e.from_name,
         e.content_key, e.content_offset, e.content_size, e.content, e.created_at, e.domain_id, e.source,
         w.id AS workspace_id, w.settings, w.sending_paused_at, u.restricted_at, d.name AS domain, d.status AS domain_status,
         d.records->>'return_path' AS return_path, m.is_active
    FROM outbox o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value
    JOIN workspaces w ON w.number = e.workspace
    LEFT JOIN domains d ON d.id = e.domain_id AND d.workspace = e.workspace
    LEFT JOIN mailboxes m ON m.id = e.mailbox_id AND m.workspace = e.workspace AND m.domain_id = e.domain_id
    LEFT JOIN users u ON u.id = e.user_id
   WHERE o.due_at = ?1 AND o.token = ?2 AND coalesce(e.outbox_id, e.id) = o.id AND e.status = 'queued'`;

const FIND_KEYS = `
  SELECT id, domain_id, selector, algorithm, private_key FROM dkim_keys
   WHERE domain_id IN (SELECT e.domain_id FROM ${CLAIMED_EMAILS}) AND activated_at IS NOT NULL AND retired_at IS NULL`;

interface MailRow extends EmailStateRow {
  outbox_id: string;
  claims: number;
  outage: "waiting" | "released" | null;
  message_id: string;
  subject: string;
  from_email: string;
  from_name: string | null;
  content_key: string | null;
  content_offset: number;
  content_size: number;
  content: string | null;
  created_at: number;
  domain_id: string;
  source: string;
  workspace_id: string;
  settings: string;
  sending_paused_at: number | null;
  restricted_at: number | null;
  domain: string | null;
  domain_status: string | null;
  return_path: string | null;
  is_active: number | null;
}

/** Claims the outbox rows that no other run has claimed, and reads what their delivery needs, in one D1 batch. */
export async function claimMail(ctx: MailCtx, wakeUps: readonly WakeUp[], lease: Lease): Promise<Claim> {
  const db = mailDb(ctx);
  const underLease = (sql: string) => db.prepare(sql).bind(lease.until, lease.token);
  const [rows, , mails, keys, suppressed] = await db.batch([
    claimStatement(ctx, wakeUps, lease),
    db.prepare(RELEASE_SCHEDULED).bind(lease.until, lease.token, idPrefix(ctx), ctx.now()),
    underLease(FIND_MAILS),
    underLease(FIND_KEYS),
    findSuppressedStatement(ctx, lease),
  ]);
  const claimed = ((mails?.results ?? []) as MailRow[]).map(toMail);
  return {
    rows: (rows?.results ?? []) as ClaimedRow[],
    mails: claimed,
    keys: (keys?.results ?? []) as DkimKeyRow[],
    suppressed: await suppressedRecipients(
      ctx,
      suppressed,
      claimed.map(({ state }) => state),
    ),
  };
}

function toMail(row: MailRow): ClaimedMail {
  const state = toState(row);
  return {
    state,
    outboxId: row.outbox_id,
    claims: row.claims,
    isReleased: row.outage === "released",
    workspaceId: row.workspace_id,
    messageId: row.message_id,
    subject: row.subject,
    fromEmail: row.from_email,
    fromName: row.from_name,
    queuedAt: state.events.findLast(({ type }) => type === "queued")?.at ?? row.created_at,
    source: row.source,
    settings: JSON.parse(row.settings) as ClaimedMail["settings"],
    contentLocation: {
      id: row.id,
      contentKey: row.content_key,
      contentOffset: row.content_offset,
      contentSize: row.content_size,
      content: row.content,
    },
    sender: {
      domainId: row.domain_id,
      domain: row.domain,
      domainStatus: row.domain_status,
      hasReturnPath: row.return_path === "verified",
      mailboxActive: row.is_active === 1,
      paused: row.sending_paused_at !== null,
      restricted: row.restricted_at !== null,
    },
  };
}
