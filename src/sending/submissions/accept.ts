import { createHash } from "node:crypto";
import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { concat } from "../../lib/bytes.ts";
import { RawMessageError } from "../../mail/raw/errors.ts";
import { MessageScanner, type ScannedMessage } from "../../mail/raw/scanner.ts";
import type { Ctx } from "../../platform/context.ts";
import { requireEmailSpace } from "../../platform/jobs/shard-sizes.ts";
import { findExceededPolicy } from "../../platform/rate-limits/find-exceeded-policy.ts";
import { ContentUpload } from "../emails/content/index.ts";
import { commitMail, type PreparedMail, prepareMail } from "./commit.ts";
import { type ParsedMessage, parseMessage, type SubmittedEnvelope } from "./parse-message.ts";
import { ReplyError } from "./replies.ts";
import { requireSender } from "./require-sender.ts";
import type { Result } from "./results.ts";
import { MAX_ROW_BYTES, MAX_WIRE_BYTES } from "./rules.ts";
import { readSmtpSession, type SmtpSession } from "./sessions.ts";
import { submitterReads } from "./submitters.ts";

/** A message from the gateway. */
export interface Submission {
  /** Token of a session of its credential. */
  token: string;
  /** Id of its connection; undefined: that of the session. */
  connection?: string | undefined;
  envelope: SubmittedEnvelope;
  /** Number of messages of this connection whose responses the client has received. */
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

/** A message that was read to its end. */
export interface ReadSubmission extends Pick<Submission, "envelope" | "sequence"> {
  session: SmtpSession;
  upload: ContentUpload;
  message: ReadMessage;
  parsed: ParsedMessage;
}

/**
 * Accepts submitted messages for delivery (docs/contract/smtp.md#submission): those of one credential with one D1 call to each database.
 * When it returns, the rows of accepted messages are committed and their content is in them or in R2. The same message again within 10
 * minutes of a lost response, or with the same Idempotency-Key within 24 hours, gets the result of the first. Returns the results in their
 * order; a ReplyError, RawMessageError or AppError is a refusal, and nothing is stored then.
 */
export async function acceptSubmissions(ctx: Ctx, submissions: readonly Submission[]): Promise<Result<Accepted>[]> {
  const tokens = new Set(submissions.map(({ token }) => token));
  const sessions = new Map([...tokens].map((token) => [token, readSmtpSession(ctx, token)]));
  const read = await forEach(
    submissions.map((value) => ({ value })),
    async (submission) => readSubmission(ctx, submission, await sessions.get(submission.token)),
  );
  const results = new Map<ReadSubmission, Result<Accepted>>();
  const valid = read.flatMap((result) => ("value" in result ? [result.value] : []));
  const groups = [...Map.groupBy(valid, ({ session }) => session.credentialId).values()];
  await Promise.all(
    groups.map(async (group) => {
      const accepted = await acceptGroup(ctx, group);
      for (const [index, item] of group.entries())
        results.set(item, accepted[index] ?? { error: new Error("no result") });
    }),
  );
  return Promise.all(
    read.map(async (result) => {
      if ("error" in result) return result;
      const accepted = results.get(result.value) ?? { error: new Error("no result") };
      if ("error" in accepted) await result.value.upload.abort();
      return accepted;
    }),
  );
}

async function readSubmission(
  ctx: Ctx,
  { envelope, sequence, stream, reserve, connection }: Submission,
  opened: SmtpSession | undefined,
): Promise<ReadSubmission> {
  if (!opened) throw new Error("no session");
  const session = connection === undefined ? opened : { ...opened, connection };
  const upload = new ContentUpload({ ...ctx, workspace: { id: session.workspaceId } });
  try {
    const message = await readMessage(stream, upload, reserve);
    const parsed = parseMessage(message, envelope, { id: upload.id, now: ctx.now() });
    return { session, envelope, sequence, upload, message, parsed };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

/** Accepts messages of one credential. */
async function acceptGroup(ctx: Ctx, group: readonly ReadSubmission[]): Promise<Result<Accepted>[]> {
  try {
    const caller = await findCaller(ctx, group);
    const prepared = await forEach(
      group.map((value) => ({ value })),
      (item) => prepare(caller, item),
    );
    return forEach(prepared, async (mail) => toAccepted(mail, await commitMail(caller, mail)));
  } catch (error) {
    return group.map(() => ({ error }));
  }
}

const toAccepted = ({ repeat }: PreparedMail, id: string): Accepted => ({ id, repeat });

/** Reads credential, senders and suppressions of all messages in one D1 call, and checks the workspace and its limit. */
async function findCaller(ctx: Ctx, group: readonly ReadSubmission[]): Promise<CallerCtx> {
  const [{ session } = { session: null }] = group;
  if (!session) throw new Error("no message");
  const senders = new Set(
    group.flatMap(({ parsed, envelope }) => [parsed.request.from?.key ?? "", parseAddress(envelope.from)?.key ?? ""]),
  );
  const recipients = new Set(group.flatMap(({ parsed }) => parsed.request.recipients.map(({ key }) => key)));
  const topics = new Set(group.flatMap(({ parsed }) => parsed.request.topic ?? []));
  const reads = submitterReads(ctx, session, { senders, recipients, topics });
  // Counts a group once, as the limit counts a batch of the API.
  const [results, exceeded] = await Promise.all([
    ctx.db.batch(reads.statements),
    findExceededPolicy(ctx, "POST /gateway/submissions", {
      credential: session.credentialId,
      workspace: session.workspaceId,
    }),
  ]);
  const caller: CallerCtx = reads.toCaller(results);
  requireEmailSpace(caller);
  if (exceeded)
    throw new ReplyError(`451 4.7.1 The limit is ${exceeded.policy.limit} messages a minute; try again later`);
  return caller;
}

async function prepare(caller: CallerCtx, item: ReadSubmission): Promise<PreparedMail> {
  requireSender(caller, item.envelope.from);
  return prepareMail(caller, item);
}

/** Runs the next step of each item that has no error yet. */
function forEach<From, To>(items: readonly Result<From>[], step: (value: From) => Promise<To>): Promise<Result<To>[]> {
  return Promise.all(
    items.map(async (item) => {
      if ("error" in item) return item;
      try {
        return { value: await step(item.value) };
      } catch (error) {
        return { error };
      }
    }),
  );
}

/** The gateway sends these bytes after a message: an upload that was cut off lacks them, and no message contains a NUL. */
const END = "\0end";

/** A submitted message that was read to its end. */
interface ReadMessage extends ScannedMessage {
  /** The body, when it is small; null: it is at the start of the upload. */
  body: Uint8Array | null;
  /** SHA-256 of the message, in base64. */
  hash: string;
}

/**
 * Reads a message from the gateway. The body of a large one goes to the upload, so that at most one part of it is in memory. `reserve`
 * waits for memory before the first part is filled. Throws RawMessageError, and ReplyError 451 for a message that was cut off.
 */
async function readMessage(
  stream: AsyncIterable<Uint8Array>,
  upload: ContentUpload,
  reserve: () => Promise<void>,
): Promise<ReadMessage> {
  const scanner = new MessageScanner();
  const hash = createHash("sha256");
  const small: Uint8Array[] = [];
  let size = 0;
  let isLarge = false;
  const take = async (bytes: Uint8Array) => {
    size += bytes.length;
    if (size > MAX_WIRE_BYTES)
      throw new RawMessageError("size", `the message is larger than ${MAX_WIRE_BYTES.toLocaleString("en")} bytes`);
    hash.update(bytes);
    const body = scanner.write(bytes);
    if (!isLarge && size > MAX_ROW_BYTES) {
      isLarge = true;
      await reserve();
      for (const piece of small.splice(0)) await upload.store(piece);
    }
    if (isLarge) await upload.store(body);
    else small.push(body.slice());
  };
  let held: Uint8Array = new Uint8Array(0);
  for await (const chunk of stream) {
    const bytes = held.length > 0 ? concat([held, chunk]) : chunk;
    const to = Math.max(0, bytes.length - END.length);
    held = bytes.slice(to);
    if (to > 0) await take(bytes.subarray(0, to));
  }
  if (new TextDecoder().decode(held) !== END) throw new ReplyError("451 4.3.0 The message was cut off; try again");
  return { ...scanner.finish(), body: isLarge ? null : concat(small), hash: hash.digest("base64") };
}
