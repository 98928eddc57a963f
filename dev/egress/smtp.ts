import { once } from "node:events";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { MailStore } from "../captured-mail/mail-store.ts";
import { HOST } from "../layout.ts";
import { findFailureAddress, refusal } from "./failure-addresses.ts";

interface EgressOptions {
  port: number;
  certificate: { key: string; certificate: string };
  account: { user: string; password: string };
  store: MailStore;
}

const LARGEST_MAIL = 36 * 1024 * 1024;

/** Starts the local egress: takes any mail over STARTTLS and AUTH, as a real one would, and keeps it. */
export async function startEgress(options: EgressOptions): Promise<{ close(): Promise<void> }> {
  const server = new SMTPServer({
    name: "localhost",
    banner: "local egress",
    key: options.certificate.key,
    cert: options.certificate.certificate,
    size: LARGEST_MAIL,
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
      const tryout = findFailureAddress(recipient.address, "RCPT");
      done(tryout ? refusal(tryout) : null);
    },
    onData(stream, session, done) {
      capture(options.store, stream, session).then((text) => done(null, text), done);
    },
  });
  server.on("error", () => {
    // A client that breaks off. Delivery sees its own end of it.
  });
  server.listen(options.port, HOST);
  await once(server.server, "listening");
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Resolves with the text after 250 once the mail is on the disk. */
async function capture(store: MailStore, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
  const to = session.envelope.rcptTo.map((recipient) => recipient.address);
  const tryout = to.map((address) => findFailureAddress(address, "DATA")).find((found) => found !== undefined);
  if (tryout) throw refusal(tryout);
  if (stream.sizeExceeded) throw Object.assign(new Error("The message is too large"), { responseCode: 552 });
  const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : "";
  const mail = await store.keep({ from, to }, Buffer.concat(chunks));
  return `Kept as ${mail.id}`;
}
