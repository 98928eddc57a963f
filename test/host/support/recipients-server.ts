/** An SMTP server that stands for the servers of all recipients, behind a smart host. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** A message with its envelope, as Latin-1. */
interface Received {
  from: string;
  to: string[];
  raw: string;
}

/** Refuses addresses that begin with `gone`; all others with 451 while `isBusy`. Otherwise it takes every message. */
export class RecipientsServer {
  readonly received: Received[] = [];
  isBusy = false;
  readonly #server: SMTPServer;

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      disabledCommands: ["STARTTLS", "AUTH"],
      hideENHANCEDSTATUSCODES: false,
      size: 60_000_000,
      onRcptTo: ({ address }, _session, done) => {
        if (address.startsWith("gone")) return done(smtpError(550, "5.1.1 No such user"));
        done(this.isBusy ? smtpError(451, "4.3.2 Try again later") : null);
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const to = envelope.rcptTo.map(({ address }) => address);
          const from = envelope.mailFrom ? envelope.mailFrom.address : "";
          this.received.push({ from, to, raw: Buffer.concat(chunks).toString("latin1") });
          done();
        });
      },
    });
    this.#server.on("error", () => {});
  }

  static async start(): Promise<RecipientsServer> {
    const server = new RecipientsServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server.server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  find(recipient: string): Received | undefined {
    return this.received.find(({ to }) => to.includes(recipient));
  }

  close(): void {
    this.#server.close();
  }
}

const smtpError = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });
