import type { Ctx, MailCtx, MailStatement, MainStatement } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import type { WorkspaceAddress } from "./domain-failures.ts";
import type { SuppressionEntry } from "./suppress.ts";

/** The state of an address on the suppression list of a workspace. A null reason: it is not listed. */
export interface ContactMark extends WorkspaceAddress {
  reason: SuppressionEntry["reason"] | null;
  /** 1: it has unsubscribed, also when another reason is stronger. */
  unsubscribed: 0 | 1;
  /** When the entry with the reason `unsubscribe` was made, in ms since 1970; null: there is none. */
  unsubscribedAt: number | null;
  /** 1: soft bounces stop bulk mail to it. */
  softBounced: 0 | 1;
}

// Of the entries of the forms of an address, the strongest reason counts.
const STATES = `
  CASE max(CASE s.reason WHEN 'unsubscribe' THEN 1 WHEN 'bounce' THEN 2 WHEN 'complaint' THEN 3 WHEN 'manual' THEN 4 END)
    WHEN 1 THEN 'unsubscribe' WHEN 2 THEN 'bounce' WHEN 3 THEN 'complaint' WHEN 4 THEN 'manual' END AS reason,
  max(CASE s.reason WHEN 'unsubscribe' THEN s.created_at END) AS unsubscribedAt, max(s.reason IS 'unsubscribe' OR s.unsubscribed_at IS NOT NULL) AS unsubscribed, max(b.listed_at IS NOT NULL) AS softBounced`;

const FIND = `
  SELECT j.value->>'workspace' AS workspace, j.value->>'$.forms[0]' AS email, ${STATES}
    FROM json_each(?1) j CROSS JOIN json_each(j.value->'forms') f
    LEFT JOIN suppressions s ON s.workspace = j.value->>'workspace' AND s.email = f.value
    LEFT JOIN soft_bounces b ON b.workspace = j.value->>'workspace' AND b.email = f.value
   GROUP BY j.key`;

/** Returns the statements that read the state of addresses. Each result is a list of ContactMark. */
export function findMarksStatements(ctx: Ctx, addresses: readonly WorkspaceAddress[]): MainStatement[] {
  const chunks = jsonChunks(
    addresses.map(({ workspace, email }) => JSON.stringify({ workspace, forms: formsOf(email) })),
  );
  return chunks.map((chunk) => ctx.db.prepare(FIND).bind(chunk));
}

/** Returns the state of addresses of a workspace. */
export async function findMarks(ctx: Ctx, workspace: number, emails: readonly string[]): Promise<ContactMark[]> {
  const addresses = emails.map((email) => ({ workspace, email }));
  const results = await ctx.db.batch<ContactMark>(findMarksStatements(ctx, addresses));
  return results.flatMap(({ results }) => results);
}

// Reads by the index contacts_by_email: at most one contact for each list of the workspace and address.
const MARK = `
  WITH j AS MATERIALIZED (
    SELECT value->>'workspace' AS workspace, value->>'email' AS email, value->>'reason' AS reason,
           value->>'unsubscribed' AS unsubscribed, value->>'softBounced' AS soft_bounced FROM json_each(?1))
  UPDATE contacts SET suppressed = j.reason, unsubscribed = j.unsubscribed, soft_bounced = j.soft_bounced FROM j
   WHERE contacts.workspace = j.workspace AND contacts.email_key = j.email
     AND (contacts.suppressed IS NOT j.reason OR contacts.unsubscribed <> j.unsubscribed
          OR contacts.soft_bounced <> j.soft_bounced)`;

/** Returns the statements that write the state of addresses to their contacts. Safe to repeat. */
export function markContactsStatements(ctx: MailCtx, marks: readonly ContactMark[]): MailStatement[] {
  const chunks = marks.length === 0 ? [] : jsonChunks(marks.map((mark) => JSON.stringify(mark)));
  return chunks.map((chunk) => ctx.mail.prepare(MARK).bind(chunk));
}

/**
 * Copies the state of addresses from the suppression list, which is in the main database, to the contacts of the
 * workspace. Call it after a write to either: of two concurrent writes, the later copy sees both. Safe to repeat. A crash
 * before it leaves a mark that is wrong until the next copy; dispatch reads the suppression list itself.
 */
export async function copyToContacts(ctx: MailCtx, workspace: number, emails: readonly string[]): Promise<void> {
  await write(ctx, await findMarks(ctx, workspace, emails));
}

async function write(ctx: MailCtx, marks: readonly ContactMark[]): Promise<void> {
  const statements = markContactsStatements(ctx, marks);
  if (statements.length > 0) await ctx.mail.batch(statements);
}

const FIND_SUPPRESSED = `
  SELECT ?1 AS workspace, j.value->>0 AS email, ${STATES} FROM json_each(?2) j CROSS JOIN json_each(j.value) f
    LEFT JOIN suppressions s ON s.workspace = ?1 AND s.email = f.value
    LEFT JOIN soft_bounces b ON b.workspace = ?1 AND b.email = f.value
   WHERE s.email IS NOT NULL OR b.listed_at IS NOT NULL
   GROUP BY j.key`;

/** Does the same for contacts that were just inserted without a mark. It writes nothing when none is suppressed. */
export async function copyToNewContacts(ctx: MailCtx, workspace: number, emails: readonly string[]): Promise<void> {
  const chunks = jsonChunks(emails.map((email) => JSON.stringify(formsOf(email))));
  const statements = chunks.map((chunk) => ctx.db.prepare(FIND_SUPPRESSED).bind(workspace, chunk));
  const marks = (await ctx.db.batch<ContactMark>(statements)).flatMap(({ results }) => results);
  await write(ctx, marks);
}
