import type { CallerCtx } from "../../../access/caller.ts";
import { AppError, conflict, unprocessable, type ValidationError } from "../../../lib/errors.ts";
import { ExtractedContent } from "../../../lib/json-extract/content.ts";
import { newSentCopy } from "../../../platform/outbox/sent-copy.ts";
import { ContentUpload } from "../../../sending/emails/content/index.ts";
import { isRefusal, type NewEmail, sendEmail } from "../../../sending/emails/send/index.ts";
import type { MessageItem } from "../../mailbox-store/index.ts";
import { authorOf, type OpenMailbox } from "../open.ts";
import { wrapText } from "../wrap-text.ts";
import { findFiles, type UploadedFile } from "./files.ts";
import { replyFields } from "./reply-fields.ts";
import type { SendIn } from "./schema.ts";
import { senderOf } from "./sender.ts";
import { beingSent, isRecent, stopSending } from "./stop-sending.ts";

/**
 * Sends an email from a mailbox through the pipeline of all emails, with the source `inbox`. The outbox row of its copy in Sent
 * is written in the transaction that accepts it. One email at a time sends a draft: one that waits to be sent from it is stopped.
 * Throws 400, 403, 413 and 422 as a send does, with paths in this request, and 409 while another email that cannot be stopped sends the draft.
 */
export async function sendFromMailbox(ctx: CallerCtx, mailbox: OpenMailbox, input: SendIn) {
  senderOf(mailbox, input.from);
  const files = await findFiles(ctx, mailbox, input.file_ids ?? []);
  const { headers, original } = await replyFields(mailbox, input.in_reply_to);
  const upload = new ContentUpload(ctx);
  let free = async () => {};
  const copyOf = async (email: NewEmail) => {
    if (email.status === "rejected") return null;
    // After the checks of the content, so that a request that they refuse stops nothing.
    free = await claimFor(ctx, mailbox, input.draft_id ?? null, email.id);
    return newSentCopy(ctx, email.scheduledAt ?? ctx.now(), {
      email: email.id,
      workspace: ctx.workspace.number,
      mailbox: mailbox.id,
      draft: input.draft_id ?? null,
    });
  };
  try {
    const attachments = await storeFiles(upload, files);
    const request = { ...toRequest(mailbox, input, headers), attachments };
    const accepted = await sendEmail(ctx, request, "inbox", upload, copyOf);
    if (original) await noteAnswer(ctx, mailbox, original, accepted.message_id);
    return accepted;
  } catch (error) {
    await upload.abort();
    // After any other error the email may be accepted all the same.
    if (isRefusal(error)) await free();
    throw inRequestPaths(error);
  }
}

/** Marks a message as answered, and notes who has answered it. The email is accepted, so an error changes nothing of that. */
async function noteAnswer(ctx: CallerCtx, { store }: OpenMailbox, original: MessageItem, messageId: string) {
  const answer = { answer: messageId };
  await Promise.all([
    store.setFlags(original.folder, [original.uid], { answered: true }),
    store.changeThread(original.threadId, authorOf(ctx), answer),
  ]).catch(() => null);
}

/** Claims a draft for an email, and stops the one that sent it before. Returns what frees it. Throws 409. */
async function claimFor(ctx: CallerCtx, { store }: OpenMailbox, draft: number | null, email: string) {
  if (draft === null) return async () => {};
  const key = ctx.idempotency?.keys[0] ?? null;
  const earlier = await store.findClaims([draft]);
  // The email of an equal request that came first is the response to this one.
  for (const one of earlier) if (key !== null && one.key === key && isRecent(ctx, one)) throw beingSent(one.email);
  await stopSending(ctx, earlier);
  const claim = { email, key, workspace: ctx.workspace.number, shard: ctx.shard, at: ctx.now() };
  const claimed = await store.claimDraft(draft, claim, earlier[0]?.email ?? null);
  if (!claimed) throw conflict("There is no draft with this UID: it was sent, changed or deleted");
  if (claimed.email !== email) throw beingSent(claimed.email);
  return async () => void (await store.claimDraft(draft, null, email));
}

function toRequest(mailbox: OpenMailbox, input: SendIn, headers: Record<string, string>) {
  const toAddresses = (list: readonly string[] | null | undefined) => (list ?? []).map((email) => ({ email }));
  return {
    from_: { email: senderOf(mailbox, input.from), name: mailbox.displayName },
    to: toAddresses(input.to),
    cc: toAddresses(input.cc),
    bcc: toAddresses(input.bcc),
    subject: input.subject ?? "",
    text: input.text,
    html: input.html || (input.text ? wrapText(input.text) : null),
    headers,
    send_at: input.send_at,
    // People write from mailboxes; their mail is not measured.
    tracking: { opens: false, clicks: false },
    variables: undefined,
  };
}

async function storeFiles(upload: ContentUpload, files: readonly UploadedFile[]) {
  const attachments = [];
  for (const [index, file] of files.entries()) {
    const writer = upload.open({ index });
    for await (const chunk of await file.open()) await writer.write(chunk);
    const content_base64 = new ExtractedContent(index, ["attachments", index, "content_base64"], file.size);
    attachments.push({ filename: file.filename, content_type: file.contentType, content_base64 });
  }
  return attachments;
}

/**
 * Returns an error of the send that a message became, with each `loc` as the path in the request of the caller: addresses are
 * texts, the sender is one of the mailbox of the path, attachments are uploaded files. Any other error is returned as it is. Pure.
 */
function inRequestPaths(error: unknown): unknown {
  if (!(error instanceof AppError) || error.status !== 422 || typeof error.detail === "string") return error;
  return unprocessable(error.detail.map((issue): ValidationError => ({ ...issue, loc: requestPath(issue.loc) })));
}

function requestPath(loc: ValidationError["loc"]): ValidationError["loc"] {
  const [place = "body", field, index] = loc;
  if (field === "from_") return ["path", "mailbox_id"];
  if (field === "to" || field === "cc" || field === "bcc") return loc.slice(0, 3);
  if (field === "attachments") return index === undefined ? [place, "file_ids"] : [place, "file_ids", index];
  // The only headers of a message that is sent from a mailbox make it a reply.
  return field === "headers" ? [place, "in_reply_to"] : loc;
}
