import type { ConnectError, Envelope, OutgoingMessage, RecipientResult } from "../../mail/smtp/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { RecipientEntry } from "../emails/index.ts";
import type { ActiveClaim, DeliveryRun } from "./delivery-run.ts";
import { preparationFailed } from "./outcome.ts";
import type { MailToSend } from "./preflight.ts";
import { type PreparedMessage, prepareMessage } from "./prepare.ts";
import { ReconnectingConnection } from "./reconnecting-connection.ts";
import { recordOutcome, recordUnreachable } from "./record-outcome.ts";
import { returnPathOf } from "./return-path.ts";
import { CLAIM_STATEMENTS, closingStatements, MAX_UNWRITTEN, type RunLimits } from "./rules.ts";

/** An email that a dispatcher has taken, with its recipients outside the simulator's domain; the others are simulated. */
export interface DispatchJob extends MailToSend {
  claim: ActiveClaim;
  external: RecipientEntry[];
}

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
export async function dispatch(run: DeliveryRun): Promise<void> {
  const connection = new ReconnectingConnection(run);
  const inFlight: Promise<void>[] = [];
  for (let job = await run.next(); job !== null; job = await run.next()) {
    try {
      if (!(await start(run, job, connection, inFlight))) break;
    } catch (error) {
      job.claim.error ??= error;
      run.putBack(job);
      break;
    }
  }
  await Promise.all(inFlight);
  await connection.close();
}

/** Composes an email and starts to send it. Returns false when the dispatcher cannot connect. */
async function start(
  run: DeliveryRun,
  job: DispatchJob,
  connection: ReconnectingConnection,
  inFlight: Promise<void>[],
): Promise<boolean> {
  const isConnected = job.external.length === 0 || connection.usable || (await reconnect(connection, inFlight, run));
  if (!isConnected) {
    run.putBack(job);
    return false;
  }
  const octets = job.mail.contentLocation.contentSize;
  await run.content.acquire(octets);
  const message = await compose(job, connection);
  if (inFlight.length === PIPELINE_DEPTH) await inFlight.shift();
  const isStarted = message !== null && job.claim.outcomes.markAttempted(job.mail);
  if (isStarted) {
    inFlight.push(sendAndRecord(job, message, connection).finally(() => run.content.release(octets)));
    return true;
  }
  run.content.release(octets);
  if (message) run.putBack(job);
  else run.finish(job.claim);
  return true;
}

/** Returns true when the connection is open again, or when there is no egress to connect to. */
async function reconnect(
  connection: ReconnectingConnection,
  inFlight: Promise<void>[],
  run: DeliveryRun,
): Promise<boolean> {
  await Promise.all(inFlight.splice(0));
  await connection.replace(await connection.current());
  return connection.usable || run.egress === null;
}

/** Defers every email left in the queue of a claim, because the egress cannot be reached. */
export async function deferRemaining(claim: ActiveClaim, unreachable: ConnectError): Promise<void> {
  while (claim.queue.length > 0 && mayContinue(claim.run.limits) && (await claim.outcomes.acquireSlot())) {
    const job = claim.queue.shift();
    if (job) recordUnreachable(claim, job, unreachable);
  }
}

/** Returns whether a run may claim further rows: what is left is enough for the claim and for outcomes of its emails. */
export function mayClaim(limits: RunLimits): boolean {
  return (
    limits.emails > 0 &&
    limits.objectReads > 0 &&
    limits.statements > CLAIM_STATEMENTS + closingStatements(MAX_UNWRITTEN)
  );
}

/** Returns whether a run may start another email. Emails beyond its limits are released untried. */
export function mayContinue({ objectReads, statements }: RunLimits): boolean {
  return objectReads > 0 && statements > 0;
}

/** Composes and signs the message. Returns null when that fails, after it has recorded the outcome. */
async function compose(job: DispatchJob, reconnecting: ReconnectingConnection): Promise<PreparedMessage | null> {
  const { claim, mail } = job;
  const connection = job.external.length > 0 ? await reconnecting.current() : null;
  if (job.external.length > 0 && !connection) {
    recordUnreachable(claim, job, claim.run.unreachable);
    return null;
  }
  try {
    const keys = claim.keys.get(mail.sender.domainId) ?? [];
    const content = await claim.contents.read(mail);
    const capabilities = connection?.capabilities ?? ALL_CAPABILITIES;
    const message = await prepareMessage(claim.ctx, { ...mail, content }, keys, capabilities);
    claim.run.limits.objectReads -= message.objectReads;
    return message;
  } catch (error) {
    claim.ctx.log("delivery.compose.failed", { email: mail.state.id, error: String(error) });
    recordOutcome(claim, job, (_, attempt) => preparationFailed(attempt, error));
    return null;
  }
}

/** Sends an email and records its outcome. Never throws: an error becomes that of the claim. */
async function sendAndRecord(
  job: DispatchJob,
  message: PreparedMessage,
  connection: ReconnectingConnection,
): Promise<void> {
  const { claim } = job;
  try {
    const results = await send(job, message, connection);
    if (!results) recordUnreachable(claim, job, claim.run.unreachable);
    else recordResults(job, message, results);
  } catch (error) {
    claim.error ??= error;
  }
  claim.run.finish(claim);
}

function recordResults(
  job: DispatchJob,
  { untrackedLinks }: PreparedMessage,
  results: readonly RecipientResult[],
): void {
  const resultOf = new Map(job.external.map((recipient, index) => [recipient.email, results[index]]));
  recordOutcome(
    job.claim,
    { ...job, untrackedLinks },
    ({ email }): RecipientResult | null => resultOf.get(email) ?? null,
  );
}

/** Sends a message, on a second connection if the first broke early. Returns null when there is no connection. */
async function send(
  job: DispatchJob,
  message: OutgoingMessage,
  connection: ReconnectingConnection,
): Promise<readonly RecipientResult[] | null> {
  if (job.external.length === 0) return [];
  const { claim } = job;
  const envelope = await toEnvelope(claim.ctx, job, claim.run.egress?.dsn ?? false);
  const first = await connection.current();
  if (!first) return null;
  const { recipients } = await first.send(envelope, message);
  if (first.usable || !recipients.every(brokeBeforeContent) || !claim.outcomes.markAttempted(job.mail))
    return recipients;
  await connection.replace(first);
  const second = await connection.current();
  return second ? (await second.send(envelope, message)).recipients : recipients;
}

/** True when the server closed the connection before any content was sent, so another connection may succeed at once. */
function brokeBeforeContent(result: RecipientResult): boolean {
  const early = result.kind === "deferred" && ["mail", "rcpt", "data"].includes(result.phase);
  return early && (result.reply === null || result.reply.code === 421);
}

async function toEnvelope(ctx: MailCtx, { mail, external }: DispatchJob, dsn: boolean): Promise<Envelope> {
  const mailFrom = await returnPathOf(ctx, mail, external);
  if (!dsn) return { mailFrom, recipients: external.map(({ email }) => ({ address: email })) };
  const recipients = external.map(({ email }) => ({
    address: email,
    originalRecipient: email,
    notify: ["SUCCESS", "FAILURE"] as const,
  }));
  return { mailFrom, recipients, envelopeId: mail.state.id, return: "HDRS" };
}
