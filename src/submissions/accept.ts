import type { CallerCtx, Ctx } from "../context.ts";
import { ConcurrencyError } from "../db/batch.ts";
import { ContentUpload, putDocument } from "../emails/content/index.ts";
import { commitEmails, requireSendable, sendReads, toAccepted, toNewEmail } from "../emails/send/index.ts";
import { findResponse, type Idempotency } from "../idempotency/index.ts";
import { parseAddress } from "../lib/addresses.ts";
import { toBase64, utf8 } from "../lib/bytes.ts";
import { keyedHashes } from "../lib/secret-box.ts";
import type { RawContent } from "../mail/raw/index.ts";
import { findExceededPolicy } from "../rate-limits/index.ts";
import { requireMailSpace, storesContentInR2Only } from "../shard-sizes.ts";
import { onNewestShard } from "../shards.ts";
import { CREDENTIAL_WORKSPACE, type CredentialRow, findCredentialStatement, toSmtpCaller } from "./credentials.ts";
import { type ParsedMessage, parseMessage, type SubmittedEnvelope } from "./parse-message.ts";
import { type ReadMessage, readMessage } from "./read-message.ts";
import { ReplyError } from "./replies.ts";
import { requireSender, toSubmitter } from "./require-sender.ts";
import { REPEAT_MS } from "./rules.ts";
import { credentialEnded, type SmtpSession } from "./sessions.ts";

/** A message from the gateway. */
export interface Submission {
  session: SmtpSession;
  envelope: SubmittedEnvelope;
  /** Number of messages of this connection whose answers the client has received. */
  sequence: number;
  stream: AsyncIterable<Uint8Array>;
  /** Waits until the isolate has memory for one part of a large message. */
  reserve: () => Promise<void>;
}

/** An accepted message. */
export interface Accepted {
  id: string;
  /** Key under which a repeat of the message is found; null when the client gave one. */
  repeat: string | null;
}

/** The answer to a submission. The last two tell a repeat after a lost answer from a second message. */
interface Answer {
  id: string;
  connection: string;
  sequence: number;
}

/**
 * Accepts a submitted message for delivery (decisions 8). When it returns, the row is committed and the content is in it
 * or in R2. The same message again within 10 minutes of a lost answer, or with the same Idempotency-Key within 24 hours,
 * returns that of the first. Throws ReplyError, RawMessageError or AppError for a refusal; nothing is stored then.
 */
export async function acceptSubmission(ctx: Ctx, submission: Submission): Promise<Accepted> {
  const { session, envelope } = submission;
  const upload = new ContentUpload({ ...ctx, workspace: { id: session.workspaceId } });
  try {
    const message = await readMessage(submission.stream, upload, submission.reserve);
    const parsed = parseMessage(message, envelope, { id: upload.id, now: ctx.now() });
    const caller = await findCaller(ctx, session, envelope, parsed);
    const keyed = await withIdempotency(caller, submission, parsed, message);
    const id = await store(keyed, upload, parsed, message, submission);
    return { id, repeat: parsed.idempotencyKey === null ? (keyed.idempotency?.keys[0] ?? null) : null };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

/** Reads credential, senders and suppressions in one D1 call, and checks all but the recipients. */
async function findCaller(
  ctx: Ctx,
  session: SmtpSession,
  envelope: SubmittedEnvelope,
  { request }: ParsedMessage,
): Promise<CallerCtx> {
  const senders = new Set([request.from?.key ?? "", parseAddress(envelope.from)?.key ?? ""]);
  const recipients = new Set(request.recipients.map(({ key }) => key));
  const scope = { workspace: CREDENTIAL_WORKSPACE, parameter: session.credentialId };
  const reads = sendReads(ctx, scope, { senders, recipients });
  const statements = [findCredentialStatement(ctx, session.credentialId), ...reads.statements];
  const [found, ...results] = await ctx.db.batch(statements);
  const row = found?.results[0] as CredentialRow | undefined;
  if (row?.workspace_id !== session.workspaceId) throw credentialEnded();
  const { workspace, actor } = toSmtpCaller(row);
  const caller = toSubmitter(onNewestShard(ctx, workspace), row, reads.toCaller(results));
  requireSender(caller, envelope.from);
  requireMailSpace(caller);
  const policy = await findExceededPolicy(ctx, "POST /gateway/submissions", actor.credentialId);
  if (policy) throw new ReplyError(`451 4.7.1 The limit is ${policy.limit} messages a minute; try again later`);
  return caller;
}

/** Adds the key of the message: its Idempotency-Key, or else the hash of envelope and content. */
async function withIdempotency(
  caller: CallerCtx,
  { session, envelope, sequence }: Submission,
  { request, idempotencyKey }: ParsedMessage,
  { hash }: ReadMessage,
): Promise<CallerCtx> {
  const { masterKeys } = caller.settings;
  const names = JSON.stringify([envelope.from, [...envelope.to].sort()]);
  const key = idempotencyKey ?? `smtp ${session.credentialId} ${names} ${hash}`;
  // Mail programs give each attempt another Date, Message-ID and boundary, so the content is no part of this fingerprint.
  const fingerprint = `smtp ${names} ${request.email?.subject}`;
  const idempotency: Idempotency = {
    keys: await keyedHashes(masterKeys, "idempotency-key", key),
    fingerprint: toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(fingerprint)))),
    sealingKeys: async () => [],
    ...(idempotencyKey === null ? { repeats: { ttlMs: REPEAT_MS, connection: session.connection, sequence } } : {}),
  };
  return { ...caller, idempotency };
}

async function store(
  caller: CallerCtx,
  upload: ContentUpload,
  parsed: ParsedMessage,
  message: ReadMessage,
  { session: { connection }, sequence }: Submission,
): Promise<string> {
  const sendable = await requireSendable(caller, parsed.request, { source: "smtp", isRetry: false });
  const content = await putDocument(upload, toDocument(parsed, message), storesContentInR2Only(caller));
  const email = { ...toNewEmail(caller, upload.id, sendable, content, "smtp"), messageId: parsed.messageId };
  const answer: Answer = { id: toAccepted(email).id, connection, sequence };
  try {
    await commitEmails(caller, [email], answer, content.key);
    return answer.id;
  } catch (error) {
    if (!(error instanceof ConcurrencyError) || !caller.idempotency) throw error;
    const stored = await findResponse(caller, caller.idempotency);
    if (!stored) throw error;
    return (JSON.parse(stored.body) as Answer).id;
  }
}

function toDocument({ head }: ParsedMessage, { body, bodySize, isEightBit, parts }: ReadMessage) {
  const raw: RawContent = { head, body: body ? toBinary(body) : { at: 0, size: bodySize }, isEightBit, parts };
  return { text: null, html: null, headers: [], reply_to: null, attachments: [], raw };
}

const toBinary = (octets: Uint8Array): string => Array.from(octets, (octet) => String.fromCharCode(octet)).join("");
