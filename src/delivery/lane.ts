import type { Ctx } from "../context.ts";
import type { RecipientEntry } from "../emails/index.ts";
import type { DkimKeyRow } from "./claim.ts";
import type { Egress } from "./egress.ts";
import type { MailToSend } from "./judge.ts";
import type { Ledger } from "./ledger.ts";
import { Line } from "./line.ts";
import { noEgress, type Outcome, unprepared, unreachable } from "./outcome.ts";
import { prepareMessage } from "./prepare.ts";
import { attemptOf, reportOn, waiting } from "./report.ts";
import { isSimulated } from "./simulator.ts";
import type { ConnectError, Envelope, OutgoingMessage, RecipientResult } from "./transport.ts";

/** What the lanes of one run share. */
export interface Run {
  ctx: Ctx;
  ledger: Ledger;
  /** Null: none is configured. */
  egress: Egress | null;
  /** DKIM keys by domain id. */
  keys: ReadonlyMap<string, readonly DkimKeyRow[]>;
  /** Mails still to be tried; each lane takes from the front. */
  queue: MailToSend[];
  /** Set once the egress could not be reached: what is left is put off without knocking again. */
  unreachable: ConnectError | null;
}

/** A mail with those of its recipients that have to be told to a server. The others are simulated. */
interface Job extends MailToSend {
  abroad: RecipientEntry[];
}

/** What a message is composed for when no server has a say. */
const EVERYTHING = { smtpUtf8: true, eightBitMime: true };

/** Mails on the way over one connection: the next envelope travels with the last one's content. */
const DEPTH = 2;

/**
 * Sends mail after mail over one connection. While some are on their way the next is read, composed and
 * signed. A connection that the server let go of between two mails is replaced, once a mail.
 */
export async function runLane(run: Run): Promise<void> {
  const line = new Line(run);
  const underWay: Promise<void>[] = [];
  try {
    while (run.queue.length > 0 && (await run.ledger.turn())) {
      const job = nextJob(run);
      if (!job) {
        run.ledger.giveBack();
        break;
      }
      if (job.abroad.length > 0 && !line.usable) {
        await Promise.all(underWay.splice(0));
        await line.replace(await line.current());
      }
      const message = await ready(run, job, line);
      if (underWay.length === DEPTH) await underWay.shift();
      if (!message) continue;
      if (!run.ledger.mayStart) {
        run.ledger.giveBack();
        break;
      }
      underWay.push(transact(run, job, message, line));
    }
  } finally {
    await Promise.allSettled(underWay).then(() => line.close());
  }
}

function nextJob(run: Run): Job | null {
  const next = run.queue.shift();
  if (!next) return null;
  const domain = run.ctx.settings.simulatorDomain;
  return { ...next, abroad: waiting(next).filter(({ email }) => !isSimulated(email, domain)) };
}

/** Makes the message ready. Null: it cannot be sent now, and that is on record. */
async function ready(run: Run, job: Job, line: Line): Promise<OutgoingMessage | null> {
  const connection = job.abroad.length > 0 ? await line.current() : null;
  if (job.abroad.length > 0 && !connection) {
    reportOn(run, job, () => withoutConnection(run, job));
    return null;
  }
  try {
    const keys = run.keys.get(job.mail.sender.domainId) ?? [];
    return await prepareMessage(run.ctx, job.mail, keys, connection?.capabilities ?? EVERYTHING);
  } catch (error) {
    run.ctx.log("delivery.unprepared", { email: job.mail.state.id, error: String(error) });
    reportOn(run, job, () => unprepared(attemptOf(run, job), error));
    return null;
  }
}

async function transact(run: Run, job: Job, message: OutgoingMessage, line: Line): Promise<void> {
  const results = await send(run, job, message, line);
  if (!results) return reportOn(run, job, () => withoutConnection(run, job));
  const resultOf = new Map(job.abroad.map((recipient, index) => [recipient.email, results[index]]));
  reportOn(run, job, (recipient): RecipientResult | null => resultOf.get(recipient.email) ?? null);
}

/** Null: there is no connection, and none to be had. */
async function send(
  run: Run,
  job: Job,
  message: OutgoingMessage,
  line: Line,
): Promise<readonly RecipientResult[] | null> {
  if (job.abroad.length === 0) return [];
  const envelope = toEnvelope(job, run.egress?.dsn ?? false);
  const first = await line.current();
  if (!first) return null;
  const { recipients } = await first.send(envelope, message);
  if (first.usable || !recipients.every(nothingSent) || !run.ledger.mayStart) return recipients;
  await line.replace(first);
  const second = await line.current();
  return second ? (await second.send(envelope, message)).recipients : recipients;
}

function withoutConnection(run: Run, job: Job): Outcome {
  return run.unreachable ? unreachable(attemptOf(run, job), run.unreachable) : noEgress();
}

/** The server hung up before anything of the message went out: another connection may do better at once. */
function nothingSent(result: RecipientResult): boolean {
  const early = result.kind === "deferred" && ["mail", "rcpt", "data"].includes(result.phase);
  return early && (result.reply === null || result.reply.code === 421);
}

function toEnvelope(job: Job, dsn: boolean): Envelope {
  const { mail, abroad } = job;
  if (!dsn) return { mailFrom: mail.fromEmail, recipients: abroad.map(({ email }) => ({ address: email })) };
  const recipients = abroad.map(({ email }) => ({
    address: email,
    originalRecipient: email,
    notify: ["SUCCESS", "FAILURE"] as const,
  }));
  return { mailFrom: mail.fromEmail, recipients, envelopeId: mail.state.id, return: "HDRS" };
}
