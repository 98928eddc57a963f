import { Buffer } from "node:buffer";
import type { CallerCtx } from "../../access/caller.ts";
import { toBase64, utf8 } from "../../lib/bytes.ts";
import { AppError } from "../../lib/errors.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { RawContent } from "../../mail/raw/compose.ts";
import type { MailStatement } from "../../platform/context.ts";
import { ConcurrencyError, isRolledBack } from "../../platform/db/batch.ts";
import { addReceipt } from "../../platform/idempotency/add-receipt.ts";
import type { Idempotency } from "../../platform/idempotency/key.ts";
import { findResponse } from "../../platform/idempotency/responses.ts";
import { storeMailResponses } from "../../platform/idempotency/store-responses.ts";
import { storesContentInR2Only } from "../../platform/jobs/shard-sizes.ts";
import { newSentCopy } from "../../platform/outbox/sent-copy.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { putDocument } from "../emails/content/index.ts";
import { commitEmails, type NewEmail, requireSendable, toNewEmail } from "../emails/send/index.ts";
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
  copy: ReturnType<typeof newSentCopy> | null;
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

/** Commits emails with the outbox rows of their copies, and wakes these. Leaves their content. Throws as `commitEmails` does. */
async function commit(
  caller: CallerCtx,
  mails: readonly PreparedMail[],
  { emails, response }: { emails: readonly NewEmail[]; response: unknown },
  extra: readonly MailStatement[] = [],
): Promise<void> {
  const copies = mails.flatMap(({ copy }) => copy ?? []);
  await commitEmails(caller, emails, response, null, [...copies.map(({ statement }) => statement), ...extra]);
  if (copies.length > 0)
    await wakeAfterResponse(
      caller,
      copies.map(({ row }) => row),
    );
}

/**
 * Commits messages in one transaction. Returns false when one of them is a repeat of another or of an earlier one, or they
 * exceed the daily limit of the workspace together: nothing is written then.
 */
export async function commitTogether(caller: CallerCtx, mails: readonly PreparedMail[]): Promise<boolean> {
  // Emails that share an outbox row need one due time. Its id is that of no email: a later attempt of an email has a row with its id.
  const [outboxId, dueAt] = [caller.newId(), mails[0]?.email.createdAt ?? caller.now()];
  const emails = mails.map(({ email }) => (email.dueAt === null ? email : { ...email, outboxId, dueAt }));
  const responses = mails.map(({ idempotency, response }) => ({ idempotency, response }));
  try {
    await commit(caller, mails, { emails, response: null }, storeMailResponses(caller, responses));
    return true;
  } catch (error) {
    if (error instanceof ConcurrencyError || isDailyLimit(error)) return false;
    throw error;
  }
}

const isDailyLimit = (error: unknown) => error instanceof AppError && error.status === 429;

/**
 * Commits a message and returns its id: that of the first one when it is a repeat. Throws ConcurrencyError when the workspace was
 * deleted, 429 beyond its daily limit, 409 when the Idempotency-Key was used for another message.
 */
export async function commitAlone(caller: CallerCtx, mail: PreparedMail): Promise<string> {
  try {
    const id = await commitOrFind(caller, mail);
    if (id !== mail.response.id) await deleteContent(caller, mail);
    return id;
  } catch (error) {
    // After any other error the row may be committed all the same, and then it needs its content.
    if (isRolledBack(error) || isConflict(error) || isDailyLimit(error)) await deleteContent(caller, mail);
    throw error;
  }
}

const isConflict = (error: unknown) => error instanceof AppError && error.status === 409;

async function deleteContent({ env }: CallerCtx, { contentKey }: PreparedMail): Promise<void> {
  if (contentKey !== null) await env.CONTENT.delete(contentKey);
}

/** Commits a message, in at most two attempts, or finds the first one that it repeats. Returns the id. */
async function commitOrFind(caller: CallerCtx, mail: PreparedMail, attempts = 2): Promise<string> {
  const keyed = { ...caller, idempotency: mail.idempotency };
  try {
    await commit(keyed, [mail], { emails: [mail.email], response: mail.response });
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
  const raw: RawContent = { head, body: body ? toBinary(body) : { at: 0, size: bodySize }, isEightBit, parts };
  // People write from mailboxes; their mail is not measured.
  const tracking = caller.actor.kind === "mailbox" ? { tracking: { opens: false, clicks: false } } : {};
  return { text: null, html: null, headers: [], reply_to: null, attachments: [], ...tracking, raw };
}

const toBinary = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
