import { addressKey } from "../../lib/addresses.ts";
import { signMessage } from "../../mail/dkim/sign.ts";
import { parseMessage } from "../../mail/messages/parse.ts";
import type { MailCtx } from "../../platform/context.ts";
import { type AutoReplyRow, composeReply, isReplying } from "../auto-replies/index.ts";
import { mailboxStore } from "../mailbox-store/index.ts";
import type { EgressSession } from "./egress-session.ts";
import { findSender } from "./sender.ts";
import { type ForwardResult, type ForwardRow, failed } from "./types.ts";

const FIND_REPLY = "SELECT is_active, starts_at, ends_at, subject, text FROM auto_replies WHERE mailbox_id = ?1";

/** Bytes of an email that are read for its reply: its header. */
const HEADER_BYTES = 262_144;

/** A Message-ID that can be repeated in a field. */
const MESSAGE_ID = /^<[!#-'*+\-/-9=?A-Z^-~.]{1,240}@[!#-'*+\-/-9=?A-Z^-~.[\]:]{1,240}>$/;

const notSent = (reason: string): ForwardResult => ({ kind: "done", event: "not_answered", metadata: { reason } });

/**
 * Replies to an email automatically: to its return path, with a null return path of its own, at most once a day to each sender
 * (RFC 3834, docs/contract/inbound.md#automatic-replies).
 */
export async function sendReply(
  ctx: MailCtx,
  { id, forward }: ForwardRow,
  session: EgressSession,
): Promise<ForwardResult> {
  const { mailbox, target, inbound, receivedAt } = forward;
  const reply = await ctx.db.findRow<AutoReplyRow>(FIND_REPLY, mailbox);
  if (!reply || !isReplying(reply, receivedAt)) return notSent("the automatic reply is off");
  const sender = await findSender(ctx, forward, addressKey(target));
  if (!sender) return failed("the mailbox is not active or its domain is not verified");
  if (sender.isSuppressed) return notSent("the address is on the suppression list");
  if (sender.isPaused) return { kind: "later", reason: "sending is paused", isAttempt: false };
  const isFirst = await mailboxStore(ctx, mailbox).takeReplyTurn(addressKey(target), inbound, receivedAt);
  if (!isFirst) return notSent("the sender got a reply within a day, or others got 100 within an hour");
  const object = await ctx.env.CONTENT.get(forward.object, { range: { offset: 0, length: HEADER_BYTES } });
  if (!object) return failed("the email was deleted before it got a reply");
  const { messageId, subject } = parseMessage(new Uint8Array(await object.arrayBuffer()));
  const composed = composeReply({
    messageId: `<${id}@${sender.domain}>`,
    date: new Date(ctx.now()),
    from: { email: forward.address, name: sender.displayName },
    to: target,
    subject: reply.subject || `Auto: ${Array.from(subject).slice(0, 200).join("")}`,
    inReplyTo: messageId !== null && MESSAGE_ID.test(messageId) ? messageId : null,
    text: reply.text,
  });
  const message = await signMessage(composed, [sender.key], { domain: sender.domain, now: new Date(ctx.now()) });
  return session.send({ mailFrom: "", recipients: [{ address: target }] }, message, "answered");
}
