/** The npm smtp-server: plain; STARTTLS and implicit TLS, both with AUTH required; both with a certificate for another name. */

import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { ServerKeys } from "./throwaway-ca.ts";

/** A message as a real server took it. */
export interface RealMessage {
  from: string;
  to: string[];
  /** MAIL and RCPT parameters, as the server understood them. */
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

/** User and password of the servers that ask for them. */
export const REAL_USER = "mail@egress.test";
export const REAL_PASSWORD = "p:a/s s%wörd?#";

export async function startRealServers(keys: ServerKeys): Promise<RealServers> {
  const kept = new Map<string, RealMessage[]>();
  const forms: { [name: string]: SMTPServerOptions } = {
    // Where the Worker under test delivers by itself; the others are for tests that look at every message.
    egress: { authOptional: true, disabledCommands: ["STARTTLS", "AUTH"] },
    realPlain: { authOptional: true, disabledCommands: ["STARTTLS", "AUTH"] },
    realStartTls: { ...keys.local },
    realImplicit: { ...keys.local, secure: true },
    realNamed: { ...keys.named, authOptional: true },
    namedImplicit: { ...keys.named, authOptional: true, secure: true },
  };
  const ports: { [name: string]: number } = {};
  const servers: SMTPServer[] = [];
  for (const [name, form] of Object.entries(forms)) {
    const messages: RealMessage[] = [];
    kept.set(name, messages);
    const server = new SMTPServer({ ...form, ...behaviour(messages) });
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    ports[name] = (server.server.address() as AddressInfo).port;
    servers.push(server);
  }
  return {
    ports,
    messages: (name) => kept.get(name) ?? [],
    close: () => {
      for (const server of servers) server.close(() => {});
    },
  };
}

function behaviour(messages: RealMessage[]): SMTPServerOptions {
  return {
    size: 1_048_576,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, _session, done) {
      const known = auth.username === REAL_USER && auth.password === REAL_PASSWORD;
      done(known ? null : new Error("Wrong user or password"), known ? { user: REAL_USER } : undefined);
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
