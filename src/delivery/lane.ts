import type { Ctx } from "../context.ts";
import type { RecipientEntry } from "../emails/index.ts";
import type { DkimKeyRow } from "./claim.ts";
import type { Egress } from "./egress.ts";
import type { MailToSend } from "./judge.ts";
import type { Ledger } from "./ledger.ts";
import { Line } from "./line.ts";
import { type Attempt, noEgress, type Outcome, unprepared, unreachable } from "./outcome.ts";
import { prepareMessage } from "./prepare.ts";
import { reportOn, waiting } from "./report.ts";
import { returnPathOf } from "./return-path.ts";
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
  /** Why a lane could not connect, when one could not. */
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
 * signed. A connection that the server let go of between two mails is replaced, once a mail. A lane that
 * cannot connect ends and leaves its mail to the others: a server may limit how many come at once.
 */
export async function runLane(run: Run): Promise<void> {
  const line = new Line(run);
  const underWay: Promise<void>[] = [];
  try {
    while (run.queue.length > 0 && (await run.ledger.turn())) {
      const job = nextJob(run);
      const isConnected = !job || job.abroad.length === 0 || line.usable || (await reconnected(line, underWay, run));
      if (!job || !isConnected) {
        if (job) run.queue.unshift(job);
        run.ledger.giveBack();
        break;
      }
      const message = await ready(run, job, line);
      if (underWay.length === DEPTH) await underWay.shift();
      if (!message) continue;
      if (!(await run.ledger.begin(job.mail))) {
        run.ledger.giveBack();
        break;
      }
      underWay.push(transact(run, job, message, line));
    }
  } finally {
    await Promise.allSettled(underWay).then(() => line.close());
  }
}

/** True when there is a connection again, or when none is to be expected because there is no egress at all. */
async function reconnected(line: Line, underWay: Promise<void>[], run: Run): Promise<boolean> {
  await Promise.all(underWay.splice(0));
  await line.replace(await line.current());
  return line.usable || run.egress === null;
}

/** What every lane had to leave, since the egress cannot be reached: put off, all of it, without knocking again. */
export async function putOffRest(run: Run): Promise<void> {
  while (run.unreachable && run.queue.length > 0 && (await run.ledger.turn())) {
    const job = nextJob(run);
    if (job) reportOn(run, job, (_, attempt) => withoutConnection(run, attempt));
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
    reportOn(run, job, (_, attempt) => withoutConnection(run, attempt));
    return null;
  }
  try {
    const keys = run.keys.get(job.mail.sender.domainId) ?? [];
    return await prepareMessage(run.ctx, job.mail, keys, connection?.capabilities ?? EVERYTHING);
  } catch (error) {
    run.ctx.log("delivery.unprepared", { email: job.mail.state.id, error: String(error) });
    reportOn(run, job, (_, attempt) => unprepared(attempt, error));
    return null;
  }
}

async function transact(run: Run, job: Job, message: OutgoingMessage, line: Line): Promise<void> {
  const results = await send(run, job, message, line);
  if (!results) return reportOn(run, job, (_, attempt) => withoutConnection(run, attempt));
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
  const envelope = await toEnvelope(run.ctx, job, run.egress?.dsn ?? false);
  const first = await line.current();
  if (!first) return null;
  const { recipients } = await first.send(envelope, message);
  if (first.usable || !recipients.every(nothingSent) || !(await run.ledger.begin(job.mail))) return recipients;
  await line.replace(first);
  const second = await line.current();
  return second ? (await second.send(envelope, message)).recipients : recipients;
}

function withoutConnection(run: Run, attempt: Attempt): Outcome {
  return run.unreachable ? unreachable(attempt, run.unreachable) : noEgress();
}

/** The server hung up before anything of the message went out: another connection may do better at once. */
function nothingSent(result: RecipientResult): boolean {
  const early = result.kind === "deferred" && ["mail", "rcpt", "data"].includes(result.phase);
  return early && (result.reply === null || result.reply.code === 421);
}

async function toEnvelope(ctx: Ctx, { mail, abroad }: Job, dsn: boolean): Promise<Envelope> {
  const mailFrom = await returnPathOf(ctx, mail, abroad);
  if (!dsn) return { mailFrom, recipients: abroad.map(({ email }) => ({ address: email })) };
  const recipients = abroad.map(({ email }) => ({
    address: email,
    originalRecipient: email,
    notify: ["SUCCESS", "FAILURE"] as const,
  }));
  return { mailFrom, recipients, envelopeId: mail.state.id, return: "HDRS" };
}
