import { isAnswering } from "../auto-replies/index.ts";
import type { MailCtx } from "../context.ts";
import { addressKey } from "../lib/addresses.ts";
import { signMessage } from "../mail/dkim/index.ts";
import { type ParsedMessage, parseMessage } from "../mail/messages/index.ts";
import { type ComposedMessage, compose } from "../mail/mime/index.ts";
import { mailboxStore } from "../mailbox-store/index.ts";
import type { EgressSession } from "./egress-session.ts";
import { type ForwardSender, findSender } from "./sender.ts";
import { type Forward, type ForwardResult, failed } from "./types.ts";

const FIND_REPLY = "SELECT is_active, starts_at, ends_at, subject, text FROM auto_replies WHERE mailbox_id = ?1";

interface ReplyRow {
  is_active: 0 | 1;
  starts_at: number | null;
  ends_at: number | null;
  subject: string | null;
  text: string;
}

/** Bytes of an email that are read for its reply: its header. */
const HEADER_BYTES = 262_144;

const notSent = (reason: string): ForwardResult => ({ kind: "done", event: "not_answered", metadata: { reason } });

/**
 * Answers an email automatically: to its return path, with a null return path of its own, at most once a day to each sender
 * (RFC 3834, decisions 9).
 */
export async function sendReply(
  ctx: MailCtx,
  { id, forward }: { id: string; forward: Forward },
  session: EgressSession,
): Promise<ForwardResult> {
  const { mailbox, target, inbound, receivedAt } = forward;
  const reply = await ctx.db.prepare(FIND_REPLY).bind(mailbox).first<ReplyRow>();
  if (!reply || !isAnswering(reply, receivedAt)) return notSent("the automatic reply is off");
  const sender = await findSender(ctx, forward, addressKey(target));
  if (!sender) return failed("the mailbox is not active or its domain is not verified");
  if (sender.isSuppressed) return notSent("the address is on the suppression list");
  if (sender.isPaused) return { kind: "later", reason: "sending is paused", isAttempt: false };
  const isFirst = await mailboxStore(ctx, mailbox).takeReplyTurn(addressKey(target), inbound, receivedAt);
  if (!isFirst) return notSent("the sender got a reply within a day");
  const object = await ctx.env.CONTENT.get(forward.object, { range: { offset: 0, length: HEADER_BYTES } });
  if (!object) return failed("the email was deleted before it was answered");
  const original = parseMessage(new Uint8Array(await object.arrayBuffer()));
  const composed = composeReply(ctx, { id, forward, sender, reply, original });
  const message = await signMessage(composed, [sender.key], { domain: sender.domain, now: new Date(ctx.now()) });
  return session.send({ mailFrom: "", recipients: [{ address: target }] }, message, "answered");
}

interface ReplyInput {
  id: string;
  forward: Forward;
  sender: ForwardSender;
  reply: ReplyRow;
  original: ParsedMessage;
}

function composeReply(ctx: MailCtx, { id, forward, sender, reply, original }: ReplyInput): ComposedMessage {
  const messageId =
    original.messageId !== null && /^<[\x21-\x7e]{1,900}>$/.test(original.messageId) ? original.messageId : null;
  return compose(
    {
      id,
      messageId: `<${id}@${sender.domain}>`,
      date: new Date(ctx.now()),
      from: { email: forward.address, name: sender.displayName },
      to: [{ email: forward.target, name: null }],
      cc: [],
      subject: reply.subject || `Auto: ${Array.from(original.subject).slice(0, 200).join("")}`,
      headers: [
        ["Auto-Submitted", "auto-replied"],
        ...(messageId
          ? ([
              ["In-Reply-To", messageId],
              ["References", messageId],
            ] as [string, string][])
          : []),
      ],
      text: reply.text,
      html: null,
      attachments: [],
    },
    { smtpUtf8: true, eightBitMime: true },
  );
}
