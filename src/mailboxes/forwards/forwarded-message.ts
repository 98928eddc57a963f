import { binaryStringToBytes, toBinaryString } from "../../lib/bytes.ts";
import { sealArc } from "../../mail/arc/seal.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import { parseFields } from "../../mail/raw/fields.ts";
import type { OutgoingMessage } from "../../mail/smtp/transport.ts";
import type { Ctx } from "../../platform/context.ts";
import { withCrLf } from "./crlf.ts";
import { readOriginal } from "./original.ts";
import type { ForwardSender } from "./sender.ts";
import type { Forward } from "./types.ts";

/**
 * Returns an email as it is sent on: with the trace fields of this forward and an ARC seal before it. One whose header is larger than
 * 256 KiB is not sealed. `open` is called once for the seal and once for each time that the message is sent. Throws what it throws.
 */
export async function forwardedMessage(
  ctx: Ctx,
  open: () => AsyncIterable<Uint8Array>,
  { id, forward, sender }: { id: string; forward: Forward; sender: ForwardSender },
): Promise<OutgoingMessage> {
  const original = await readOriginal(withCrLf(open()));
  const { mxHost } = ctx.settings;
  const arc =
    original.head &&
    (await sealArc(parseFields(toBinaryString(original.head), true), {
      key: sender.key,
      domain: sender.domain,
      authservId: mxHost,
      results: toResults(forward),
      chain: forward.authentication?.arc ?? null,
      bodyHash: original.bodyHash,
      at: Math.floor(ctx.now() / 1000),
    }));
  const date = new Date(ctx.now()).toUTCString().replace("GMT", "+0000");
  const trace = `Received: by ${mxHost} (forwarded for ${forward.address}) id ${id};\r\n ${date}\r\nDelivered-To: ${forward.address}\r\n`;
  const first = binaryStringToBytes(`${arc ?? ""}${toBinaryString(new TextEncoder().encode(trace))}`);
  return {
    size: first.length + original.size,
    needsSmtpUtf8: original.isEightBitHead || /[^\0-\x7f]/.test(forward.address),
    needs8BitMime: original.isEightBitBody,
    async *chunks() {
      yield first;
      yield* withCrLf(open());
    },
  };
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
