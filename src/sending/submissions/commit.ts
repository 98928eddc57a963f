import type { CallerCtx } from "../../access/caller.ts";
import { toBase64, toBinaryString, utf8 } from "../../lib/bytes.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { RawContent } from "../../mail/raw/compose.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import { addReceipt } from "../../platform/idempotency/add-receipt.ts";
import type { Idempotency } from "../../platform/idempotency/key.ts";
import { findResponse } from "../../platform/idempotency/responses.ts";
import { storesContentInR2Only } from "../../platform/jobs/shard-sizes.ts";
import { newSentCopy, type SentCopyRow } from "../../platform/outbox/sent-copy.ts";
import { putDocument } from "../emails/content/index.ts";
import { commitEmails, isRefusal, type NewEmail, requireSendable, toNewEmail } from "../emails/send/index.ts";
import type { ReadSubmission } from "./accept.ts";
import { REPEAT_MS } from "./rules.ts";
import { submittedSource } from "./submitters.ts";

/** The response to a submission. The last two tell a repeat after a lost response from a second message. */
interface Reply {
  id: string;
  connection: string;
  sequence: number;
}

/** A message that may be sent, with its row. Its content is stored. */
export interface PreparedMail {
  email: NewEmail;
  contentKey: string | null;
  idempotency: Idempotency;
  response: Reply;
  /** Key under which a repeat is found; null when the client gave one. */
  repeat: string | null;
  /** Its copy in Sent of the mailbox; null: it was sent by an SMTP credential, or to suppressed recipients only. */
  copy: SentCopyRow | null;
}

/** Checks a message and stores its content. Throws AppError. */
export async function prepareMail(caller: CallerCtx, item: ReadSubmission): Promise<PreparedMail> {
  const { upload, parsed, session, sequence } = item;
  const source = submittedSource(caller);
  const sendable = await requireSendable(caller, parsed.request, { source, isRetry: false, isSubmitted: true });
  const idempotency = await toIdempotency(caller, item);
  const content = await putDocument(upload, toDocument(caller, item), storesContentInR2Only(caller));
  const email = { ...toNewEmail(caller, upload.id, sendable, content, source), messageId: parsed.messageId };
  return {
    email,
    contentKey: content.key,
    idempotency,
    response: { id: email.id, connection: session.connection, sequence },
    repeat: parsed.idempotencyKey === null ? (idempotency.keys[0] ?? null) : null,
    copy: toCopy(caller, email),
  };
}

function toCopy(caller: CallerCtx, { id, status, createdAt }: NewEmail): PreparedMail["copy"] {
  const { actor, workspace } = caller;
  if (actor.kind !== "mailbox" || status === "rejected") return null;
  return newSentCopy(caller, createdAt, {
    email: id,
    workspace: workspace.number,
    mailbox: actor.mailboxId,
    draft: null,
  });
}

/**
 * Commits a message and returns its id: that of the first one when it is a repeat. Throws ConcurrencyError when the workspace was
 * deleted, 429 beyond its daily limit, 409 when the Idempotency-Key was used for another message.
 */
export async function commitMail(caller: CallerCtx, mail: PreparedMail): Promise<string> {
  try {
    const id = await commitOrFind(caller, mail);
    if (id !== mail.response.id) await deleteContent(caller, mail);
    return id;
  } catch (error) {
    // After any other error the row may be committed all the same, and then it needs its content.
    if (isRefusal(error)) await deleteContent(caller, mail);
    throw error;
  }
}

async function deleteContent({ env }: CallerCtx, { contentKey }: PreparedMail): Promise<void> {
  if (contentKey !== null) await env.CONTENT.delete(contentKey);
}

/** Commits a message, in at most two attempts, or finds the first one that it repeats. Returns the id. */
async function commitOrFind(caller: CallerCtx, mail: PreparedMail, attempts = 2): Promise<string> {
  const keyed = { ...caller, idempotency: mail.idempotency };
  try {
    await commitEmails(keyed, [mail.email], { response: mail.response, contentKey: null, copy: mail.copy });
    return mail.response.id;
  } catch (error) {
    if (!(error instanceof ConcurrencyError)) throw error;
    const stored = await findResponse(keyed, mail.idempotency);
    if (stored) {
      const { id } = JSON.parse(stored.body) as Reply;
      await addReceipt(caller, mail.idempotency, id);
      return id;
    }
    if (attempts === 1) throw error;
    // The response was deleted meanwhile: the client of the first one has it, so this is a second message.
    return commitOrFind(caller, mail, attempts - 1);
  }
}

/** Returns the key of a message: its Idempotency-Key, or else the hash of envelope and content. */
async function toIdempotency(
  { settings: { masterKeys } }: CallerCtx,
  { session, envelope, sequence, parsed: { request, idempotencyKey }, message: { hash } }: ReadSubmission,
): Promise<Idempotency> {
  const names = JSON.stringify([envelope.from, [...envelope.to].sort()]);
  const key = idempotencyKey ?? `smtp ${session.credentialId} ${names} ${hash}`;
  // Mail programs give each attempt another Date, Message-ID and boundary, so the content is no part of this fingerprint.
  const fingerprint = `smtp ${names} ${request.email?.subject}`;
  return {
    keys: await keyedHashes(masterKeys, "idempotency-key", key),
    fingerprint: toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(fingerprint)))),
    sealingKeys: async () => [],
    ...(idempotencyKey === null ? { repeats: { ttlMs: REPEAT_MS, connection: session.connection, sequence } } : {}),
  };
}

function toDocument(caller: CallerCtx, { parsed: { head }, message }: ReadSubmission) {
  const { body, bodySize, isEightBit, parts } = message;
  const raw: RawContent = { head, body: body ? toBinaryString(body) : { at: 0, size: bodySize }, isEightBit, parts };
  // People write from mailboxes; their mail is not measured.
  const tracking = caller.actor.kind === "mailbox" ? { tracking: { opens: false, clicks: false } } : {};
  return { text: null, html: null, headers: [], reply_to: null, attachments: [], ...tracking, raw };
}
