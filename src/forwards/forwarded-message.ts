import type { Ctx } from "../context.ts";
import type { CheckedAuthentication } from "../inbound-log/index.ts";
import { sealArc } from "../mail/arc/index.ts";
import { BodyHash } from "../mail/dkim/index.ts";
import { binaryStringToBytes } from "../mail/mime/index.ts";
import { parseFields } from "../mail/raw/index.ts";
import type { OutgoingMessage } from "../mail/smtp/index.ts";
import type { ForwardSender } from "./sender.ts";
import type { Forward } from "./types.ts";

const [CR, LF] = [0x0d, 0x0a];

/** Returns an email as it is sent on: with the trace fields of this forward and an ARC seal before it. */
export async function forwardedMessage(
  ctx: Ctx,
  received: Uint8Array,
  { id, forward, sender }: { id: string; forward: Forward; sender: ForwardSender },
): Promise<OutgoingMessage> {
  const raw = withCrLf(received);
  const end = headerEnd(raw);
  const head = latin1(raw.subarray(0, end));
  const body = raw.subarray(end + 2);
  const hash = new BodyHash();
  hash.update(body);
  const { mxHost } = ctx.settings;
  const arc = await sealArc(parseFields(head, true), {
    key: sender.key,
    domain: sender.domain,
    authservId: mxHost,
    results: toResults(forward),
    chain: forward.authentication?.arc ?? null,
    bodyHash: hash.digest(),
    at: Math.floor(ctx.now() / 1000),
  });
  const date = new Date(ctx.now()).toUTCString().replace("GMT", "+0000");
  const trace = `Received: by ${mxHost} (forwarded for ${forward.address}) id ${id};\r\n ${date}\r\nDelivered-To: ${forward.address}\r\n`;
  const first = binaryStringToBytes(`${arc}${latin1(new TextEncoder().encode(trace))}`);
  return {
    size: first.length + raw.length,
    inMemory: [first, raw],
    needsSmtpUtf8: /[^\0-\x7f]/.test(head) || /[^\0-\x7f]/.test(forward.address),
    needs8BitMime: body.some((octet) => octet > 0x7f),
    async *chunks() {
      yield first;
      yield raw;
    },
  };
}

/** Returns the index after the CRLF of the last header line. */
function headerEnd(raw: Uint8Array): number {
  for (let at = 0; at + 3 < raw.length; at++)
    if (raw[at] === CR && raw[at + 1] === LF && raw[at + 2] === CR && raw[at + 3] === LF) return at + 2;
  return raw.length;
}

/** Returns a message whose line ends are CRLF, which SMTP requires (RFC 5321 2.3.8), and with a line end at its end. */
function withCrLf(raw: Uint8Array): Uint8Array {
  const isBare = (octet: number, at: number) =>
    (octet === LF && raw[at - 1] !== CR) || (octet === CR && raw[at + 1] !== LF);
  if (!raw.some(isBare) && raw.at(-1) === LF) return raw;
  const out = new Uint8Array(2 * raw.length + 2);
  let to = 0;
  for (const [at, octet] of raw.entries()) {
    if (octet === LF && raw[at - 1] === CR) continue;
    if (octet === CR || octet === LF) {
      out[to++] = CR;
      out[to++] = LF;
    } else out[to++] = octet;
  }
  if (to === 0 || out[to - 1] !== LF) {
    out[to++] = CR;
    out[to++] = LF;
  }
  return out.subarray(0, to);
}

function latin1(octets: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < octets.length; at += 8192) pieces.push(String.fromCharCode(...octets.subarray(at, at + 8192)));
  return pieces.join("");
}

/** Returns the results of the checks when the email arrived (RFC 8601 2.2). */
function toResults({ authentication, from }: Forward): string {
  const results = authentication ? resultsOf(authentication, from) : [];
  return results.length > 0 ? results.join(";\r\n ") : "none";
}

function resultsOf({ spf, dkim, dmarc }: CheckedAuthentication, from: string): string[] {
  const property = (name: string, value: string | null) =>
    value !== null && /^[!-:<-~]+$/.test(value) ? ` ${name}=${value}` : "";
  const word = (text: string) => (/^[a-z]+$/i.test(text) ? text.toLowerCase() : "neutral");
  return [
    ...(spf ? [`spf=${word(spf.result)}${property("smtp.mailfrom", from || null)}`] : []),
    ...dkim
      .slice(0, 10)
      .map(
        ({ result, domain, selector }) =>
          `dkim=${word(result)}${property("header.d", domain)}${property("header.s", selector)}`,
      ),
    ...(dmarc ? [`dmarc=${word(dmarc.result)}${property("header.from", dmarc.domain)}`] : []),
  ];
}
