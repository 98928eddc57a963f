/** Instances of npm smtp-server: clear text; STARTTLS and implicit TLS with AUTH; both with a certificate for another name. */

import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { ServerKeys } from "./throwaway-ca.ts";

/** A message that a server accepted. */
interface RealMessage {
  from: string;
  to: string[];
  /** MAIL parameters, as parsed by the server. */
  mailParameters: unknown;
  user: string | null;
  secure: boolean;
  base64: string;
}

export interface RealServers {
  ports: { [name: string]: number };
  messages(name: string): RealMessage[];
  close(): void;
}

/** User name and password of the servers with AUTH. */
const REAL_USER = "mail@egress.test";
const REAL_PASSWORD = "p:a/s s%wörd?#";

export async function startRealServers(keys: ServerKeys): Promise<RealServers> {
  const messagesOf = new Map<string, RealMessage[]>();
  const servers: { [name: string]: SMTPServerOptions } = {
    // The EGRESS_URL of the Worker under test. The other servers are for tests that check every message.
    egress: { authOptional: true, disabledCommands: ["STARTTLS", "AUTH"] },
    realPlain: { authOptional: true, disabledCommands: ["STARTTLS", "AUTH"] },
    realStartTls: { ...keys.local },
    realImplicit: { ...keys.local, secure: true },
    realNamed: { ...keys.named, authOptional: true },
    namedImplicit: { ...keys.named, authOptional: true, secure: true },
  };
  const ports: { [name: string]: number } = {};
  const started: SMTPServer[] = [];
  for (const [name, options] of Object.entries(servers)) {
    const messages: RealMessage[] = [];
    messagesOf.set(name, messages);
    const server = new SMTPServer({ ...options, ...behaviour(messages) });
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    ports[name] = (server.server.address() as AddressInfo).port;
    started.push(server);
  }
  return {
    ports,
    messages: (name) => messagesOf.get(name) ?? [],
    close: () => {
      for (const server of started) server.close(() => {});
    },
  };
}

function behaviour(messages: RealMessage[]): SMTPServerOptions {
  return {
    size: 1_048_576,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, _session, done) {
      const isValid = auth.username === REAL_USER && auth.password === REAL_PASSWORD;
      done(isValid ? null : new Error("Wrong user or password"), isValid ? { user: REAL_USER } : undefined);
    },
    onRcptTo(address, _session, done) {
      done(address.address.startsWith("refused") ? new Error("No such user") : undefined);
    },
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        messages.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map((rcpt) => rcpt.address),
          mailParameters: mailFrom ? mailFrom.args : {},
          user: session.user || null,
          secure: session.secure,
          base64: Buffer.concat(parts).toString("base64"),
        });
        done();
      });
    },
  };
}
