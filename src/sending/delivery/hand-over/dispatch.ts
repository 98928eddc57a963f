import type { Connection, RecipientResult } from "../../../mail/smtp/transport.ts";
import type { RecipientEntry } from "../../emails/index.ts";
import type { PreparedMessage } from "../prepare/index.ts";
import { MAX_OWN_PATHS } from "../rules.ts";
import type { EgressStream, Job } from "./egress-stream.ts";
import { type HandOver, toHandOver } from "./hand-over.ts";
import { ReconnectingConnection } from "./reconnecting-connection.ts";

/**
 * Result of one attempt: those of its external recipients in order, null for those that the run ended before; why it has no message;
 * or that there is no connection.
 */
export type AttemptResult =
  | { results: readonly (HandOver | null)[]; message: Pick<PreparedMessage, "untrackedLinks"> }
  | { notComposed: unknown }
  | "unreachable";

/** Capabilities assumed for a message that goes to the simulator only. */
const ALL_CAPABILITIES = { smtpUtf8: true, eightBitMime: true };

/**
 * Emails in flight on one connection. With three, the next envelope is ready when the server accepts a message, and leaves in
 * one write with the content of the email between them.
 */
const PIPELINE_DEPTH = 3;

/**
 * Sends emails of the run over one connection, and composes the next while others are in flight. Replaces a connection
 * that broke between two emails, once per email, and keeps it open while further emails may come. A dispatcher that
 * cannot connect ends and leaves its email to the others, since a server may limit the number of connections.
 */
export async function dispatch(run: EgressStream): Promise<void> {
  const connection = new ReconnectingConnection(run);
  const inFlight: Promise<void>[] = [];
  for (let job = await run.next(); job !== null; job = await run.next()) {
    try {
      if (!(await start(run, job, connection, inFlight))) break;
    } catch (error) {
      run.putBack(job, error);
      break;
    }
  }
  await Promise.all(inFlight);
  await connection.close();
}

/** Composes an email and starts to send it. Returns false when the dispatcher cannot connect. */
async function start(
  run: EgressStream,
  job: Job,
  connection: ReconnectingConnection,
  inFlight: Promise<void>[],
): Promise<boolean> {
  const pause = run.findPause(job);
  if (pause) {
    run.finish(job, pause);
    return true;
  }
  const isConnected = job.external.length === 0 || connection.usable || (await reconnect(connection, inFlight, run));
  if (!isConnected) {
    run.putBack(job);
    return false;
  }
  const bytes = job.mail.contentLocation.contentSize;
  await run.content.acquire(bytes);
  const message = await compose(run, job, connection);
  if (message && inFlight.length === PIPELINE_DEPTH) await inFlight.shift();
  if (message && run.markAttempted(job)) {
    inFlight.push(sendAndFinish(run, job, message, connection).finally(() => run.content.free(bytes)));
    return true;
  }
  run.content.free(bytes);
  if (message) run.putBack(job);
  return true;
}

/** Returns true when the connection is open again, or when there is no egress to connect to. */
async function reconnect(
  connection: ReconnectingConnection,
  inFlight: Promise<void>[],
  run: EgressStream,
): Promise<boolean> {
  await Promise.all(inFlight.splice(0));
  await connection.replace(await connection.current());
  return connection.usable || run.egress === null;
}

/** Composes and signs the message. Returns null when that fails, after it has finished the email. */
async function compose(
  run: EgressStream,
  job: Job,
  reconnecting: ReconnectingConnection,
): Promise<PreparedMessage | null> {
  const connection = job.external.length > 0 ? await reconnecting.current() : null;
  if (job.external.length > 0 && !connection) {
    run.finish(job, "unreachable");
    return null;
  }
  try {
    return await run.compose(job, connection?.capabilities ?? ALL_CAPABILITIES);
  } catch (error) {
    run.finish(job, { notComposed: error });
    return null;
  }
}

async function sendAndFinish(
  run: EgressStream,
  job: Job,
  message: PreparedMessage,
  connection: ReconnectingConnection,
): Promise<void> {
  try {
    const results = await sendAll(run, job, message, connection);
    run.finish(job, results ? { results, message } : "unreachable");
  } catch (error) {
    run.fail(job, error);
  }
}

/**
 * Sends a message to its recipients: up to MAX_OWN_PATHS of them in a transaction each, one after the other, so that a bounce is
 * known by its return path to be theirs. Each outcome is recorded before the next transaction, so that a crash between two of them
 * repeats none that is written. When the connection breaks, the recipients that are left are deferred; when the run ends, they have
 * no result. Returns null when there is no connection.
 */
async function sendAll(
  run: EgressStream,
  job: Job,
  message: PreparedMessage,
  connection: ReconnectingConnection,
): Promise<readonly (HandOver | null)[] | null> {
  const { external } = job;
  if (external.length <= 1 || external.length > MAX_OWN_PATHS) return send(run, job, external, message, connection);
  const results: HandOver[] = [];
  const withRest = (rest: HandOver | null) => external.map((_, index) => results[index] ?? rest);
  for (const recipient of external) {
    const isFirst = results.length === 0;
    if (!isFirst && !run.mayContinue(job, message)) return withRest(null);
    const [result] = (await send(run, job, [recipient], message, connection)) ?? [];
    if (!result) return isFirst ? null : withRest(NOT_TRIED);
    results.push(result);
    if (results.length < external.length) run.record(job, recipient, result, message);
    if (isBroken(result)) return withRest(NOT_TRIED);
  }
  return results;
}

const NOT_TRIED: RecipientResult = {
  kind: "deferred",
  phase: "mail",
  reply: null,
  reason: "the connection ended before the turn of this recipient",
};

/** Returns whether the connection ended in a transaction. */
const isBroken = (result: HandOver) =>
  result.kind === "ambiguous" || (result.kind === "deferred" && (result.reply === null || result.reply.code === 421));

/** Sends one transaction, on a second connection if the first broke early. Returns null when there is no connection. */
async function send(
  run: EgressStream,
  job: Job,
  to: readonly RecipientEntry[],
  message: PreparedMessage,
  connection: ReconnectingConnection,
): Promise<readonly HandOver[] | null> {
  if (to.length === 0) return [];
  const first = await connection.current();
  if (!first) return null;
  const results = await sendOver(run, job, to, message, first);
  if (first.usable || !results.every(brokeBeforeContent) || !run.markAttempted(job)) return results;
  await connection.replace(first);
  const second = await connection.current();
  return second ? sendOver(run, job, to, message, second) : results;
}

async function sendOver(
  run: EgressStream,
  job: Job,
  to: readonly RecipientEntry[],
  message: PreparedMessage,
  connection: Connection,
): Promise<readonly HandOver[]> {
  const envelope = await run.envelopeOf(job, to, connection.capabilities);
  const { recipients } = await connection.send(envelope, message);
  return connection.capabilities.lease ? recipients.map(toHandOver) : recipients;
}

/** True when the server closed the connection before any content was sent, so another connection may succeed at once. */
function brokeBeforeContent(result: HandOver): boolean {
  const early = result.kind === "deferred" && ["mail", "rcpt", "data"].includes(result.phase);
  return early && (result.reply === null || result.reply.code === 421);
}
