import type { SMTPServerSession } from "smtp-server";
import type { Clock } from "./clock.ts";
import { log } from "./log.ts";
import type { Spool } from "./spool.ts";

/** Result of rspamd's check of a message. */
export interface SpamCheck {
  isSpam: boolean;
  /** The field to write before the message: X-Spam-Status. */
  field: string;
}

/** How long rspamd may take, in ms. Then the message is delivered without its response. */
const TIMEOUT_MS = 5_000;
/** Larger messages are not checked, in bytes: spam is small. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** The actions of rspamd that mark a message. `greylist` and `soft reject` only delay it, which this server never does. */
const SPAM_ACTIONS: ReadonlySet<string> = new Set(["add header", "rewrite subject", "quarantine", "reject"]);

/**
 * Asks rspamd about a message (its HTTP protocol, `POST /checkv2`). Returns null when it gives no response within 5 seconds:
 * a message is neither refused nor kept waiting because of rspamd.
 */
export async function checkSpam(
  url: string,
  session: SMTPServerSession,
  spool: Spool,
  clock: Clock,
): Promise<SpamCheck | null> {
  if (spool.size > MAX_BYTES) return null;
  const late = new AbortController();
  const timer = clock.after(TIMEOUT_MS, () => late.abort(new Error("rspamd did not respond in time")));
  try {
    const response = await fetch(`${url}/checkv2`, {
      method: "POST",
      headers: toHeaders(session),
      body: spool.read() as unknown as ReadableStream,
      duplex: "half",
      redirect: "error",
      signal: late.signal,
    } as RequestInit);
    if (!response.ok) throw new Error(`rspamd responded with ${response.status}`);
    return toCheck(JSON.parse(await readText(response)));
  } catch (error) {
    log("rspamd.failed", { connection: session.id, error: String(error) });
    return null;
  } finally {
    timer.cancel();
  }
}

function toHeaders({ id, remoteAddress, hostNameAppearsAs, envelope }: SMTPServerSession): [string, string][] {
  // A header of HTTP has no characters outside ASCII; rspamd only weighs these values.
  const ascii = (value: unknown) => String(value || "").replace(/[^!-~]/g, "?");
  const recipients = envelope.rcptTo.map(({ address }): [string, string] => ["Rcpt", ascii(address)]);
  return [
    ["Queue-Id", id],
    ["IP", remoteAddress],
    ["Helo", ascii(hostNameAppearsAs)],
    ["From", ascii(envelope.mailFrom ? envelope.mailFrom.address : "")],
    ...recipients,
  ];
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_RESPONSE_BYTES) throw new Error("the response of rspamd is too large");
  }
  return text + decoder.decode();
}

function toCheck(result: unknown): SpamCheck {
  const { action, score, required_score: required } = Object(result) as Record<string, unknown>;
  if (typeof action !== "string" || typeof score !== "number" || typeof required !== "number")
    throw new Error("the response of rspamd has no action, score and required_score");
  const isSpam = SPAM_ACTIONS.has(action);
  const figures = `score=${score.toFixed(2)} required=${required.toFixed(2)}`;
  return { isSpam, field: `X-Spam-Status: ${isSpam ? "Yes" : "No"}, ${figures}\r\n` };
}
