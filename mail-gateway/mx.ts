import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";
import { type Checked, checkMessage } from "./authenticate.ts";
import type { Clock } from "./clock.ts";
import type { GatewayConfig } from "./config.ts";
import type { Resolver } from "./dns.ts";
import { Refusal, tryAgain } from "./errors.ts";
import { log } from "./log.ts";
import { readData } from "./read-data.ts";
import { checkSpam, type SpamCheck } from "./rspamd.ts";
import { Spool } from "./spool.ts";
import { stripResults } from "./strip-results.ts";
import type { WorkerClient } from "./worker-client.ts";

/** Ends each message for the Worker, which refuses one that was cut off. */
const END = Buffer.from("\0end");

/** Returns what a server for mail from outside does: the Worker decides about each recipient and takes the message. */
export class Mx {
  readonly #worker: WorkerClient;
  readonly #config: GatewayConfig;
  readonly #resolver: Resolver;
  readonly #clock: Clock;

  constructor(worker: WorkerClient, config: GatewayConfig, resolver: Resolver, clock: Clock) {
    this.#clock = clock;
    this.#worker = worker;
    this.#config = config;
    this.#resolver = resolver;
  }

  /** Handlers of smtp-server. */
  readonly handlers: Pick<SMTPServerOptions, "onRcptTo" | "onData"> = {
    onRcptTo: (address, _session, done) => {
      this.#worker.call("recipients", { address: address.address }).then(() => done(), done);
    },
    onData: (stream, session, done) => {
      this.#receive(stream, session).then((text) => done(null, text), done);
    },
  };

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const spool = new Spool();
    try {
      await readData(stream, spool, { ...this.#config.limits, clock: this.#clock }, session);
      await spool.finish();
      const { mailFrom, rcptTo } = session.envelope;
      const from = mailFrom ? mailFrom.address : "";
      const { name, rspamdUrl } = this.#config;
      const [checked, spam] = await Promise.all([
        checkMessage(session, spool, { name, resolver: this.#resolver }),
        rspamdUrl === null ? null : checkSpam(rspamdUrl, session, spool, this.#clock),
      ]);
      const replies: (Refusal | null)[] = [];
      for (const { address } of rcptTo)
        replies.push(await this.#handOver({ from, to: [address] }, spool, checked, spam));
      log("received", {
        connection: session.id,
        ip: session.remoteAddress,
        replies: replies.map((reply) => reply?.message ?? "accepted"),
      });
      const refusal = replies.find((reply) => reply !== null);
      if (!refusal) return "Accepted";
      // SMTP has one reply for all recipients. A recipient that has the message already does not get it again, if it has a Message-ID.
      throw replies.every((reply) => String(reply?.responseCode) === String(refusal.responseCode))
        ? refusal
        : tryAgain();
    } finally {
      await spool.remove();
    }
  }

  /** Sends a message for one recipient to the Worker. Returns the refusal, or null when the Worker has taken it. */
  async #handOver(
    envelope: object,
    spool: Spool,
    { trace, authentication }: Checked,
    spam: SpamCheck | null,
  ): Promise<Refusal | null> {
    const fields = Buffer.from(`${spam?.field ?? ""}${trace}`, "latin1");
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64");
    const upload = this.#worker.upload(
      "mail",
      {
        "X-Envelope": encode(envelope),
        "X-Authentication": encode(authentication),
        "X-Trace-Octets": String(fields.length),
        "X-Spam": spam?.isSpam ? "yes" : "no",
      },
      null,
    );
    await upload.write(fields);
    for await (const chunk of spool.read().pipe(stripResults(this.#config.name))) await upload.write(chunk as Buffer);
    await upload.write(END);
    try {
      await upload.finish();
      return null;
    } catch (error) {
      return error instanceof Refusal ? error : tryAgain();
    }
  }
}
