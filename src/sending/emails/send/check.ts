import type { CallerCtx } from "../../../access/caller.ts";
import { isPausedSource } from "../../../platform/bulk-pauses/rules.ts";
import { hasLeft, type TopicRef, topicOf } from "../../topics/index.ts";
import { isBulkSource, isSuppressing, type SuppressionReason } from "../rules.ts";
import { type Issue, invalid, toError } from "./issues.ts";
import type { Envelope, ParsedEmail, ParsedRequest, Recipient } from "./parse.ts";
import { findSendRecords, type SendRecords } from "./records.ts";
import { applySenderRule } from "./sender-rule.ts";

/** The mailbox that an email is sent from. */
interface Sender {
  mailboxId: string;
  domainId: string;
  domain: string;
  /** The canonical addresses that a test domain sends to; null: all. */
  members: ReadonlySet<string> | null;
}

/** A request without issues. */
export interface Sendable<Email extends Envelope = ParsedEmail> {
  email: Email;
  sender: Sender;
  /** Why recipients are dropped, by canonical address. */
  suppressed: ReadonlyMap<string, string>;
  /** Number of its topic; null: none. */
  topic: number | null;
}

/** The properties of an email that decide which suppressions apply to it. */
export interface SuppressionScope {
  source: string;
  isRetry: boolean;
  /** True for mail that was submitted by SMTP. */
  isSubmitted?: boolean;
}

/** A request that must not be sent, and why. */
export interface Refused {
  issues: Issue[];
}

/** Decides whether a parsed request may be sent: sender rule, recipients, content and account. Send, batch and validate agree by it. */
export function check<Email extends Envelope>(
  ctx: CallerCtx,
  { email, from, recipients, issues, topic: ref }: ParsedRequest<Email>,
  records: SendRecords,
  scope: SuppressionScope,
): Sendable<Email> | Refused {
  const result = findSender(ctx, records.senders, from, !scope.isSubmitted && !isBulkSource(scope.source));
  const topic = ref === undefined ? null : topicOf(records.topics, ref);
  const all = [...accountIssues(ctx, scope.source), ...issues];
  if (from && "error" in result) all.push(invalid("from", ["from_", "email"], result.error, "sender_not_allowed"));
  if ("sender" in result) all.push(...strangerIssues(result.sender, recipients));
  if (ref !== undefined && topic === null) all.push(invalid("content", ["topic_id"], "No topic has this id"));
  if (email && "sender" in result && all.length === 0) {
    const suppressed = findDropped({ recipients: email.recipients, topic: ref }, records, scope);
    return { email, sender: result.sender, suppressed, topic: topic?.n ?? null };
  }
  return { issues: all };
}

/** Returns the reasons of recipients that get nothing, by address: a suppression, or `unsubscribe` without the topic. */
export function findDropped(
  { recipients, topic: ref }: { recipients: readonly Recipient[]; topic?: TopicRef | undefined },
  { suppressed, topics }: Pick<SendRecords, "suppressed" | "topics">,
  scope: SuppressionScope,
): Map<string, SuppressionReason> {
  const dropped = new Map<string, SuppressionReason>();
  const topic = ref === undefined ? null : topicOf(topics, ref);
  for (const { key, unsubscribe } of recipients) {
    const entry = suppressed.get(key);
    if (entry && isSuppressing(entry, { ...scope, offersUnsubscribe: unsubscribe === true }))
      dropped.set(key, entry.reason);
    else if (topic && hasLeft(topics, topic, key)) dropped.set(key, "unsubscribe");
  }
  return dropped;
}

/** Checks one parsed request, with at most one D1 batch. Throws 403, 413, 400 or 422 for its issues. */
export async function requireSendable<Email extends Envelope>(
  ctx: CallerCtx,
  request: ParsedRequest<Email>,
  scope: SuppressionScope,
): Promise<Sendable<Email>> {
  const checked = check(ctx, request, await findSendRecords(ctx, [request]), scope);
  if ("email" in checked) return checked;
  throw toError(checked.issues);
}

/** Throws 403 when the caller's account or workspace may not send, or none of this source. */
export function requireSendingAllowed(ctx: CallerCtx, source: string | null): void {
  const issues = accountIssues(ctx, source);
  if (issues.length > 0) throw toError(issues);
}

/** The text for a call to a workspace that stopped itself. */
const STOPPED =
  "Mail of this kind is paused in this workspace, because too many of its emails bounced or were marked as spam; an owner can resume it";

/**
 * Account restriction (platform) and sending pause (workspace): 403 on every call that sends. A self-stop: 403 on calls that send
 * mail of its sources (docs/contract/workspaces.md#restriction-and-pause).
 */
function accountIssues(ctx: CallerCtx, source: string | null): Issue[] {
  const issue = (error: string): Issue => ({ field: "account", status: 403, loc: [], type: "account", error });
  return [
    ...(ctx.actor.restricted ? [issue("This account is restricted and cannot send")] : []),
    ...(ctx.workspace.sendingPaused ? [issue("Sending is paused for this workspace")] : []),
    ...(source !== null && isPausedSource(ctx.workspace.bulkPause, source) ? [issue(STOPPED)] : []),
  ];
}

function findSender(
  ctx: CallerCtx,
  senders: SendRecords["senders"],
  from: ParsedRequest["from"],
  isSingle: boolean,
): { sender: Sender } | { error: string } {
  const checked = applySenderRule(senders.get(from?.key ?? ""), from?.email ?? "", ctx.actor.domainIds, isSingle);
  if ("error" in checked) return checked;
  const { mailbox_id: mailboxId, domain_id: domainId, domain, members } = checked.mailbox;
  if (ctx.actor.kind === "mailbox" && ctx.actor.mailboxId !== mailboxId)
    return { error: `The sender must be ${ctx.actor.email}, the address of the mailbox` };
  const allowed = members === null ? null : new Set(JSON.parse(members) as string[]);
  return { sender: { mailboxId, domainId, domain, members: allowed } };
}

/** Returns an issue for each recipient of a test domain who is no member of the workspace. */
function strangerIssues({ domain, members }: Sender, recipients: readonly Recipient[]): Issue[] {
  return recipients.flatMap(({ kind, email, key }) => {
    const error = `${email} is no member of this workspace, and the test domain ${domain} sends to members only; add a domain of your own`;
    return members === null || members.has(key) ? [] : [invalid("to", [kind], error, "recipient_not_allowed")];
  });
}
