/** SMTP servers for tests in workerd: `scriptedServer` follows a script, `sinkServer` accepts everything. */

import { env } from "cloudflare:workers";
import { bytesOfBase64 } from "./patterned-bytes.ts";
import type { Counters, ReceivedMessage, Script, TranscriptEntry } from "./smtp-script.ts";

export interface SmtpServerHandle {
  host: "127.0.0.1";
  port: number;
  /** An EGRESS_URL for it, without TLS. */
  url: string;
  /** Returns every event so far, in order. */
  transcript(): Promise<TranscriptEntry[]>;
  /** Returns the command lines so far. */
  commands(): Promise<string[]>;
  /** Messages received up to their final dot, unstuffed. */
  messages(): Promise<ReceivedMessage[]>;
  counters(): Promise<Counters>;
  /** Closes the port and every connection to it. */
  close(): Promise<void>;
}

/**
 * Starts a server that follows `script`, on a free port or on `port`. With `named` its certificate is valid for the name
 * smtp.test only.
 */
export async function scriptedServer(
  script: Script = {},
  certificate: "local" | "named" = "local",
  listenOn = 0,
): Promise<SmtpServerHandle> {
  const { port } = await callControlServer<{ port: number }>("scripted", {
    method: "POST",
    body: JSON.stringify({ script, certificate, port: listenOn }),
  });
  const transcript = () => callControlServer<TranscriptEntry[]>(`scripted/${port}/transcript`);
  return {
    host: "127.0.0.1",
    port,
    url: `smtp://127.0.0.1:${port}/?tls=off`,
    transcript,
    commands: async () => (await transcript()).filter(({ event }) => event === "command").map(({ text }) => text),
    messages: async () => {
      const stored = await callControlServer<(Omit<ReceivedMessage, "raw"> & { base64: string })[]>(
        `scripted/${port}/messages`,
      );
      return stored.map(({ base64, ...rest }) => ({ ...rest, raw: bytesOfBase64(base64) }));
    },
    counters: () => callControlServer<Counters>(`scripted/${port}/counters`),
    close: async () => {
      await callControlServer(`scripted/${port}`, { method: "DELETE" });
    },
  };
}

/** Starts a server that accepts everything and stores envelopes and messages (unless `countOnly`). */
export function sinkServer(
  options: Pick<Script, "capabilities" | "dropAfterDotEvery" | "latencyMs" | "recipients" | "countOnly"> = {},
): Promise<SmtpServerHandle> {
  return scriptedServer(options);
}

/** Returns the messages that a server of this script gets from `send`, which is called with its EGRESS_URL. */
export async function sentBy(send: (url: string) => Promise<unknown>, script: Script = {}): Promise<ReceivedMessage[]> {
  const server = await scriptedServer(script);
  await send(server.url);
  const messages = await server.messages();
  await server.close();
  return messages;
}

/** A message that one of the npm smtp-server instances accepted. */
export interface RealMessage {
  from: string;
  to: string[];
  mailParameters: unknown;
  user: string | null;
  secure: boolean;
  raw: Uint8Array;
}

/** Returns the messages accepted by `realPlain`, `realStartTls`, `realImplicit` or `realNamed`; env.TEST_SERVERS has their ports. */
export async function realMessages(name: string): Promise<RealMessage[]> {
  const stored = await callControlServer<(Omit<RealMessage, "raw"> & { base64: string })[]>(`real/${name}`);
  return stored.map(({ base64, ...rest }) => ({ ...rest, raw: bytesOfBase64(base64) }));
}

async function callControlServer<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${env.TEST_SERVERS.smtpControl}/${path}`, init);
  if (!response.ok) throw new Error(`SMTP control: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
