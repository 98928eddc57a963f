import type { CallerCtx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import { jsonChunks } from "../../db/json-chunks.ts";
import { AppError, unprocessable } from "../../errors.ts";
import type { SendIn } from "../schema.ts";
import type { Issue } from "./issues.ts";
import { type ParsedEmail, parse } from "./parse.ts";

/** The mailbox a mail goes out from. */
export interface Sender {
  mailboxId: string;
  domainId: string;
  domain: string;
}

/** A request that was looked at from every side. With issues it must not be sent. */
export interface Checked {
  input: SendIn;
  parsed: ParsedEmail;
  sender: Sender | null;
  /** Canonical forms of the recipients that must not be mailed. */
  suppressed: ReadonlySet<string>;
  issues: Issue[];
}

interface SenderRow {
  address: string;
  mailbox_id: string;
  is_active: number;
  domain_id: string;
  domain: string;
  domain_status: string;
}

// A catch-all receives only: it never satisfies the sender rule.
const FIND_SENDERS = `
  SELECT m.address, m.id AS mailbox_id, m.is_active, d.id AS domain_id, d.name AS domain, d.status AS domain_status
    FROM mailboxes m JOIN domains d ON d.id = m.domain_id AND d.workspace = m.workspace
   WHERE m.workspace = ?1 AND m.address IN (SELECT value FROM json_each(?2)) AND m.local_part <> '*'`;

// An unsubscribe binds bulk and broadcast mail only.
const FIND_SUPPRESSED = `
  SELECT email FROM suppressions
   WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND reason <> 'unsubscribe'`;

/**
 * Checks requests before they are sent: sender rule, recipients, content and account. One D1 batch for any
 * number of them. `send` throws the first issue, `validate` answers with all: one function, so they agree.
 */
export async function checkSends(ctx: CallerCtx, inputs: readonly SendIn[]): Promise<Checked[]> {
  const now = ctx.now();
  const parsedInputs = inputs.map((input) => ({ input, ...parse(input, now) }));
  const addresses = new Set(parsedInputs.flatMap(({ parsed }) => parsed.from?.key ?? []));
  const recipients = new Set(parsedInputs.flatMap(({ parsed }) => parsed.recipients.map(({ key }) => key)));
  const { number } = ctx.workspace;
  const wanted = jsonChunks([...recipients].map((key) => JSON.stringify(key)));
  const [senders, ...suppressed] = await mailDb(ctx).batch([
    ctx.db.prepare(FIND_SENDERS).bind(number, JSON.stringify([...addresses])),
    ...wanted.map((keys) => ctx.db.prepare(FIND_SUPPRESSED).bind(number, keys)),
  ]);
  const byAddress = new Map(((senders?.results ?? []) as SenderRow[]).map((row) => [row.address, row]));
  const blocked = new Set(suppressed.flatMap(({ results }) => results as { email: string }[]).map((row) => row.email));
  const account = accountIssues(ctx);
  return parsedInputs.map(({ input, parsed, issues }) => {
    const row = byAddress.get(parsed.from?.key ?? "");
    const fault = senderFault(ctx, row);
    const all = [...account, ...issues];
    if (parsed.from && fault) {
      all.push({ field: "from", status: 422, loc: ["from_", "email"], type: "sender_not_allowed", error: fault });
    }
    const sender = row && !fault ? { mailboxId: row.mailbox_id, domainId: row.domain_id, domain: row.domain } : null;
    return { input, parsed, sender, suppressed: blocked, issues: all };
  });
}

/** Throws what a send answers for these issues: the account's 403 first, then 413, 400, and all 422 faults at once. */
export function refuse(issues: readonly Issue[]): void {
  for (const status of [403, 413, 400] as const) {
    const issue = issues.find((candidate) => candidate.status === status);
    if (issue) throw new AppError(status, issue.error);
  }
  if (issues.length === 0) return;
  throw unprocessable(issues.map(({ loc, error, type }) => ({ loc: ["body", ...loc], msg: error, type })));
}

/** The first fault of a request as one sentence, for a list of results. What refuses it comes in the order of `refuse`. */
export function reasonOf(issues: readonly Issue[]): string {
  const worst = [413, 400].flatMap((status) => issues.find((issue) => issue.status === status) ?? []);
  const [issue] = [...worst, ...issues];
  if (!issue) return "";
  return issue.status === 422 ? `${issue.loc.join(".")}: ${issue.error}` : issue.error;
}

/** Throws 403 when the caller may not send at all. */
export function requireAccount(ctx: CallerCtx): void {
  refuse(accountIssues(ctx));
}

/** Account restriction (platform) and sending pause (workspace): 403 on every call that sends (decisions 2). */
function accountIssues(ctx: CallerCtx): Issue[] {
  const issue = (error: string): Issue => ({ field: "account", status: 403, loc: [], type: "account", error });
  return [
    ...(ctx.actor.restricted ? [issue("This account is restricted and cannot send")] : []),
    ...(ctx.workspace.sendingPaused ? [issue("Sending is paused for this workspace")] : []),
  ];
}

function senderFault(ctx: CallerCtx, row: SenderRow | undefined): string | null {
  if (!row) return "The sender must be an allocated mailbox of this workspace";
  if (!row.is_active) return "The sender's mailbox is not active";
  if (row.domain_status !== "verified") return "The sender's domain is not verified";
  if (ctx.actor.domainIds && !ctx.actor.domainIds.has(row.domain_id))
    return "This API key may not send from this domain";
  return null;
}
