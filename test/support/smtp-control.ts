/** SMTP servers for tests in workerd: `scriptedServer` does what its script says, `sinkServer` takes everything. */

import { env } from "cloudflare:workers";
import type { Counters, ReceivedMessage, Script, TranscriptEntry } from "./smtp-script.ts";

export interface SmtpServerHandle {
  host: "127.0.0.1";
  port: number;
  /** An EGRESS_URL for it, in clear. */
  url: string;
  /** Everything that happened so far, in order. */
  transcript(): Promise<TranscriptEntry[]>;
  /** The command lines so far. */
  commands(): Promise<string[]>;
  /** Messages whose final dot came, unstuffed. */
  messages(): Promise<ReceivedMessage[]>;
  counters(): Promise<Counters>;
  /** Closes the port and every connection to it. */
  close(): Promise<void>;
}

/** Starts a server that follows `script`. `named` gives it a certificate for the name smtp.test only. */
export async function scriptedServer(
  script: Script = {},
  certificate: "local" | "named" = "local",
): Promise<SmtpServerHandle> {
  const { port } = await ask<{ port: number }>("scripted", {
    method: "POST",
    body: JSON.stringify({ script, certificate }),
  });
  const transcript = () => ask<TranscriptEntry[]>(`scripted/${port}/transcript`);
  return {
    host: "127.0.0.1",
    port,
    url: `smtp://127.0.0.1:${port}/?tls=off`,
    transcript,
    commands: async () => (await transcript()).filter(({ event }) => event === "command").map(({ text }) => text),
    messages: async () => {
      const kept = await ask<(Omit<ReceivedMessage, "raw"> & { base64: string })[]>(`scripted/${port}/messages`);
      return kept.map(({ base64, ...rest }) => ({ ...rest, raw: fromBase64(base64) }));
    },
    counters: () => ask<Counters>(`scripted/${port}/counters`),
    close: async () => {
      await ask(`scripted/${port}`, { method: "DELETE" });
    },
  };
}

/** Starts a well-behaved server that takes everything and remembers envelopes and messages (unless `countOnly`). */
export function sinkServer(
  options: Pick<Script, "capabilities" | "dropAfterDotEvery" | "latencyMs" | "recipients" | "countOnly"> = {},
): Promise<SmtpServerHandle> {
  return scriptedServer(options);
}

/** What one of the npm smtp-server instances took so far. */
export interface RealMessage {
  from: string;
  to: string[];
  mailParameters: unknown;
  user: string | null;
  secure: boolean;
  raw: Uint8Array;
}

/** Messages taken by `realPlain`, `realStartTls`, `realImplicit` or `realNamed`; their ports are in env.TEST_SERVERS. */
export async function realMessages(name: string): Promise<RealMessage[]> {
  const kept = await ask<(Omit<RealMessage, "raw"> & { base64: string })[]>(`real/${name}`);
  return kept.map(({ base64, ...rest }) => ({ ...rest, raw: fromBase64(base64) }));
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${env.TEST_SERVERS.smtpControl}/${path}`, init);
  if (!response.ok) throw new Error(`SMTP control: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
