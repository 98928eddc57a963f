import type { Ctx } from "../context.ts";
import type { Outcome, RecipientEntry } from "../emails/index.ts";
import type { ConnectError, Envelope, OutgoingMessage, RecipientResult } from "../mail/smtp/index.ts";
import type { DkimKeyRow } from "./claim.ts";
import type { Egress } from "./egress.ts";
import { type Attempt, noEgress, unprepared, unreachable } from "./outcome.ts";
import type { OutcomeWriter } from "./outcome-writer.ts";
import type { MailToSend } from "./preflight.ts";
import { prepareMessage } from "./prepare.ts";
import { ReconnectingConnection } from "./reconnecting-connection.ts";
import { recipientsToTry, recordOutcome } from "./record-outcome.ts";
import { returnPathOf } from "./return-path.ts";
import { isSimulated } from "./simulator.ts";

/** What the lanes of one run share. */
export interface DeliveryRun {
  ctx: Ctx;
  outcomes: OutcomeWriter;
  /** Null: none is configured. */
  egress: Egress | null;
  /** DKIM keys by domain id. */
  keys: ReadonlyMap<string, readonly DkimKeyRow[]>;
  /** Mails still to be tried; each lane takes from the front. */
  queue: MailToSend[];
  /** Why a lane could not connect, when one could not. */
  unreachable: ConnectError | null;
}

/** A mail with those of its recipients that have to be told to a server. The others are simulated. */
interface DispatchJob extends MailToSend {
  external: RecipientEntry[];
}

/** What a message is composed for when no server has a say. */
const ALL_CAPABILITIES = { smtpUtf8: true, eightBitMime: true };

/** Mails on the way over one connection: the next envelope travels with the last one's content. */
const PIPELINE_DEPTH = 2;

/**
 * Sends mail after mail over one connection. While some are on their way the next is read, composed and
 * signed. A connection that the server let go of between two mails is replaced, once a mail. A lane that
 * cannot connect ends and leaves its mail to the others: a server may limit how many come at once.
 */
export async function dispatch(run: DeliveryRun): Promise<void> {
  const connection = new ReconnectingConnection(run);
  const inFlight: Promise<void>[] = [];
  try {
    while (run.queue.length > 0 && (await run.outcomes.acquireSlot())) {
      const job = nextJob(run);
      const isConnected =
        !job || job.external.length === 0 || connection.usable || (await reconnect(connection, inFlight, run));
      if (!job || !isConnected) {
        if (job) run.queue.unshift(job);
        run.outcomes.releaseSlot();
        break;
      }
      const message = await compose(run, job, connection);
      if (inFlight.length === PIPELINE_DEPTH) await inFlight.shift();
      if (!message) continue;
      if (!(await run.outcomes.markAttempted(job.mail))) {
        run.outcomes.releaseSlot();
        break;
      }
      inFlight.push(sendAndRecord(run, job, message, connection));
    }
  } finally {
    await Promise.allSettled(inFlight).then(() => connection.close());
  }
}

/** True when there is a connection again, or when none is to be expected because there is no egress at all. */
async function reconnect(
  connection: ReconnectingConnection,
  inFlight: Promise<void>[],
  run: DeliveryRun,
): Promise<boolean> {
  await Promise.all(inFlight.splice(0));
  await connection.replace(await connection.current());
  return connection.usable || run.egress === null;
}

/** What every lane had to leave, since the egress cannot be reached: put off, all of it, without knocking again. */
export async function deferRest(run: DeliveryRun): Promise<void> {
  while (run.unreachable && run.queue.length > 0 && (await run.outcomes.acquireSlot())) {
    const job = nextJob(run);
    if (job) recordOutcome(run, job, (_, attempt) => withoutConnection(run, attempt));
  }
}

function nextJob(run: DeliveryRun): DispatchJob | null {
  const next = run.queue.shift();
  if (!next) return null;
  const domain = run.ctx.settings.simulatorDomain;
  return { ...next, external: recipientsToTry(next).filter(({ email }) => !isSimulated(email, domain)) };
}

/** Makes the message ready. Null: it cannot be sent now, and that is on record. */
async function compose(
  run: DeliveryRun,
  job: DispatchJob,
  connections: ReconnectingConnection,
): Promise<OutgoingMessage | null> {
  const connection = job.external.length > 0 ? await connections.current() : null;
  if (job.external.length > 0 && !connection) {
    recordOutcome(run, job, (_, attempt) => withoutConnection(run, attempt));
    return null;
  }
  try {
    const keys = run.keys.get(job.mail.sender.domainId) ?? [];
    return await prepareMessage(run.ctx, job.mail, keys, connection?.capabilities ?? ALL_CAPABILITIES);
  } catch (error) {
    run.ctx.log("delivery.unprepared", { email: job.mail.state.id, error: String(error) });
    recordOutcome(run, job, (_, attempt) => unprepared(attempt, error));
    return null;
  }
}

async function sendAndRecord(
  run: DeliveryRun,
  job: DispatchJob,
  message: OutgoingMessage,
  connection: ReconnectingConnection,
): Promise<void> {
  const results = await send(run, job, message, connection);
  if (!results) return recordOutcome(run, job, (_, attempt) => withoutConnection(run, attempt));
  const resultOf = new Map(job.external.map((recipient, index) => [recipient.email, results[index]]));
  recordOutcome(run, job, (recipient): RecipientResult | null => resultOf.get(recipient.email) ?? null);
}

/** Null: there is no connection, and none to be had. */
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
  if (first.usable || !recipients.every(nothingSent) || !(await run.outcomes.markAttempted(job.mail)))
    return recipients;
  await connection.replace(first);
  const second = await connection.current();
  return second ? (await second.send(envelope, message)).recipients : recipients;
}

function withoutConnection(run: DeliveryRun, attempt: Attempt): Outcome {
  return run.unreachable ? unreachable(attempt, run.unreachable) : noEgress();
}

/** The server hung up before anything of the message went out: another connection may do better at once. */
function nothingSent(result: RecipientResult): boolean {
  const early = result.kind === "deferred" && ["mail", "rcpt", "data"].includes(result.phase);
  return early && (result.reply === null || result.reply.code === 421);
}

async function toEnvelope(ctx: Ctx, { mail, external }: DispatchJob, dsn: boolean): Promise<Envelope> {
  const mailFrom = await returnPathOf(ctx, mail, external);
  if (!dsn) return { mailFrom, recipients: external.map(({ email }) => ({ address: email })) };
  const recipients = external.map(({ email }) => ({
    address: email,
    originalRecipient: email,
    notify: ["SUCCESS", "FAILURE"] as const,
  }));
  return { mailFrom, recipients, envelopeId: mail.state.id, return: "HDRS" };
}
