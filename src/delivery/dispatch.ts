import type { MailCtx } from "../context.ts";
import type { ContentRanges, RecipientEntry } from "../emails/index.ts";
import type { ConnectError, Envelope, OutgoingMessage, RecipientResult } from "../mail/smtp/index.ts";
import type { Egress } from "./egress.ts";
import type { OctetBudget } from "./octet-budget.ts";
import { preparationFailed } from "./outcome.ts";
import type { OutcomeWriter } from "./outcome-writer.ts";
import type { MailToSend } from "./preflight.ts";
import { type PreparedMessage, prepareMessage } from "./prepare.ts";
import type { DkimKeyRow } from "./read-senders.ts";
import { ReconnectingConnection } from "./reconnecting-connection.ts";
import { recipientsToTry, recordOutcome, recordUnreachable } from "./record-outcome.ts";
import { returnPathOf } from "./return-path.ts";
import type { RunLimits } from "./rules.ts";
import { isSimulated } from "./simulator.ts";

/** State that the dispatchers of one run share. */
export interface DeliveryRun {
  ctx: MailCtx;
  outcomes: OutcomeWriter;
  /** Null when the deployment has no egress: the run has simulated recipients only. */
  egress: Egress | null;
  /** DKIM keys by domain id. */
  keys: ReadonlyMap<string, readonly DkimKeyRow[]>;
  /** Emails not yet tried; each dispatcher takes from the front. */
  queue: MailToSend[];
  /** What the run may still do. */
  limits: RunLimits;
  /** Reads the content of the emails. */
  contents: ContentRanges;
  /** Octets of content that the dispatchers may hold at once. */
  content: OctetBudget;
  /** Why the last dispatcher that failed to connect failed; null when none did. */
  unreachable: ConnectError | null;
}

/** An email with its recipients outside the simulator's domain; the others are simulated. */
interface DispatchJob extends MailToSend {
  external: RecipientEntry[];
}

/** Capabilities assumed for a message that goes to the simulator only. */
const ALL_CAPABILITIES = { smtpUtf8: true, eightBitMime: true };

/** Emails in flight on one connection: the next envelope is pipelined behind the content before it. */
const PIPELINE_DEPTH = 2;

/**
 * Sends emails from the run's queue over one connection, and composes the next while others are in flight. Replaces a
 * connection that broke between two emails, once per email. A dispatcher that cannot connect ends and leaves its email
 * to the others, since a server may limit the number of connections.
 */
export async function dispatch(run: DeliveryRun): Promise<void> {
  const connection = new ReconnectingConnection(run);
  const inFlight: Promise<void>[] = [];
  try {
    while (mayStart(run) && (await run.outcomes.acquireSlot())) {
      const job = nextJob(run);
      const isConnected =
        !job || job.external.length === 0 || connection.usable || (await reconnect(connection, inFlight, run));
      if (!job || !isConnected) {
        if (job) run.queue.unshift(job);
        run.outcomes.releaseSlot();
        break;
      }
      const octets = job.mail.contentLocation.contentSize;
      await run.content.acquire(octets);
      const message = await compose(run, job, connection);
      if (inFlight.length === PIPELINE_DEPTH) await inFlight.shift();
      const isStarted = message !== null && (await run.outcomes.markAttempted(job.mail));
      if (!isStarted) run.content.release(octets);
      if (!message) continue;
      if (!isStarted) {
        run.outcomes.releaseSlot();
        break;
      }
      inFlight.push(sendAndRecord(run, job, message, connection).finally(() => run.content.release(octets)));
    }
  } finally {
    await Promise.allSettled(inFlight).then(() => connection.close());
  }
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

/** Defers every email left in the queue when the egress cannot be reached. */
export async function deferRemaining(run: DeliveryRun): Promise<void> {
  while (run.unreachable && mayStart(run) && (await run.outcomes.acquireSlot())) {
    const job = nextJob(run);
    if (job) recordUnreachable(run, job);
  }
}

/** Returns whether a run may start another email. Emails beyond its limits are released untried. */
export function mayContinue({ objectReads, statements }: RunLimits): boolean {
  return objectReads > 0 && statements > 0;
}

function mayStart(run: DeliveryRun): boolean {
  return run.queue.length > 0 && mayContinue(run.limits);
}

function nextJob(run: DeliveryRun): DispatchJob | null {
  const next = run.queue.shift();
  if (!next) return null;
  const domain = run.ctx.settings.simulatorDomain;
  return { ...next, external: recipientsToTry(next).filter(({ email }) => !isSimulated(email, domain)) };
}

/** Composes and signs the message. Returns null when that fails, after it has recorded the outcome. */
async function compose(
  run: DeliveryRun,
  job: DispatchJob,
  reconnecting: ReconnectingConnection,
): Promise<PreparedMessage | null> {
  const connection = job.external.length > 0 ? await reconnecting.current() : null;
  if (job.external.length > 0 && !connection) {
    recordUnreachable(run, job);
    return null;
  }
  try {
    const keys = run.keys.get(job.mail.sender.domainId) ?? [];
    const mail = { ...job.mail, content: await run.contents.read(job.mail) };
    const message = await prepareMessage(run.ctx, mail, keys, connection?.capabilities ?? ALL_CAPABILITIES);
    run.limits.objectReads -= message.objectReads;
    return message;
  } catch (error) {
    run.ctx.log("delivery.compose.failed", { email: job.mail.state.id, error: String(error) });
    recordOutcome(run, job, (_, attempt) => preparationFailed(attempt, error));
    return null;
  }
}

async function sendAndRecord(
  run: DeliveryRun,
  job: DispatchJob,
  message: PreparedMessage,
  connection: ReconnectingConnection,
): Promise<void> {
  const results = await send(run, job, message, connection);
  if (!results) return recordUnreachable(run, job);
  const resultOf = new Map(job.external.map((recipient, index) => [recipient.email, results[index]]));
  const { untrackedLinks } = message;
  recordOutcome(run, { ...job, untrackedLinks }, ({ email }): RecipientResult | null => resultOf.get(email) ?? null);
}

/** Sends a message, on a second connection if the first broke early. Returns null when there is no connection. */
async function send(
  run: DeliveryRun,
  job: DispatchJob,
  message: OutgoingMessage,
  connection: ReconnectingConnection,
): Promise<readonly RecipientResult[] | null> {
  if (job.external.length === 0) return [];
  const envelope = await toEnvelope(run.ctx, job, run.egress?.dsn ?? false);
  const first = await connection.current();
  if (!first) return null;
  const { recipients } = await first.send(envelope, message);
  if (first.usable || !recipients.every(brokeBeforeContent) || !(await run.outcomes.markAttempted(job.mail)))
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
