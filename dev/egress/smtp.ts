import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { MailStore } from "../captured-mail/mail-store.ts";
import { HOST } from "../layout.ts";
import { findFailureAddress, toSmtpError } from "./failure-addresses.ts";

interface EgressOptions {
  port: number;
  certificate: { key: string; certificate: string };
  account: { user: string; password: string };
  store: MailStore;
  /** Called with each stored message, after the reply. */
  handOver?: (envelope: { from: string; to: string[] }, raw: Buffer) => Promise<void>;
  /** Aborts when the service stops: messages that cannot be handed over any more stay in the store, without a word. */
  stopping: AbortSignal;
}

interface LocalEgress {
  /** Resolves when all messages so far are handed over, or after HAND_OVER_MS. */
  handedOver(): Promise<unknown>;
  close(): Promise<void>;
}

const MAX_MESSAGE_BYTES = 36 * 1024 * 1024;
const HAND_OVER_MS = 3_000;

/** Starts the local egress: an SMTP server with STARTTLS and AUTH that stores every message in the mail store. */
export async function startEgress(options: EgressOptions): Promise<LocalEgress> {
  const inProgress = new Set<Promise<void>>();
  const server = new SMTPServer({
    name: "localhost",
    banner: "local egress",
    key: options.certificate.key,
    cert: options.certificate.certificate,
    size: MAX_MESSAGE_BYTES,
    authMethods: ["PLAIN", "LOGIN"],
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    closeTimeout: 500,
    onAuth(auth, _session, done) {
      const { user, password } = options.account;
      if (auth.username === user && auth.password === password) return done(null, { user });
      done(Object.assign(new Error("Wrong user or password"), { responseCode: 535 }));
    },
    onRcptTo(recipient, _session, done) {
      const failure = findFailureAddress(recipient.address, "RCPT");
      done(failure ? toSmtpError(failure) : null);
    },
    onData(stream, session, done) {
      capture(options, stream, session, inProgress).then((text) => done(null, text), done);
    },
  });
  server.on("error", () => {
    // The client closed the connection. The service sees that itself.
  });
  server.listen(options.port, HOST);
  await once(server.server, "listening");
  return {
    handedOver: () => Promise.race([Promise.all(inProgress), sleep(HAND_OVER_MS, undefined, { ref: false })]),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Stores the message and returns the text of the 250 reply. Throws the SMTP error of a rejected message. */
async function capture(
  { store, handOver, stopping }: EgressOptions,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  inProgress: Set<Promise<void>>,
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
  const to = session.envelope.rcptTo.map((recipient) => recipient.address);
  const failure = to.map((address) => findFailureAddress(address, "DATA")).find((found) => found !== undefined);
  if (failure) throw toSmtpError(failure);
  if (stream.sizeExceeded) throw Object.assign(new Error("The message is too large"), { responseCode: 552 });
  const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : "";
  const raw = Buffer.concat(chunks);
  const mail = await store.save({ from, to }, raw);
  if (handOver) {
    const handingOver = handOver({ from, to }, raw)
      .catch((error) => {
        if (!stopping.aborted) console.error(`Cannot hand mail over to the MX: ${error}`);
      })
      .finally(() => inProgress.delete(handingOver));
    inProgress.add(handingOver);
  }
  return `Stored as ${mail.id}`;
}
