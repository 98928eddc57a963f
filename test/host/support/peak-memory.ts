/**
 * Composes, signs and reads one message with an attachment of `argv[2]` bytes and a text of `argv[3]` line ends. Prints
 * its size and the peak resident memory in KiB.
 */

import { generateDkimKeyPair } from "../../../src/mail/dkim/keys.ts";
import { signMessage } from "../../../src/mail/dkim/sign.ts";
import { compose } from "../../../src/mail/mime/compose.ts";

const size = Number(process.argv[2]);
const lineEnds = Number(process.argv[3] ?? 0);
const { pkcs8 } = await generateDkimKeyPair("ed25519-sha256");
const outgoing = await signMessage(
  compose(
    {
      id: "01989a3e-5c1f-7000-8000-000000000001",
      messageId: "<01989a3e@x.test>",
      date: new Date(),
      from: { email: "ann@x.test" },
      to: [{ email: "bob@y.test" }],
      cc: [],
      subject: "Large",
      headers: [],
      text: `See attached${"\n".repeat(lineEnds)}.`,
      attachments: [{ filename: "a.bin", contentType: "a/b", disposition: "attachment", size, open: generated }],
    },
    { smtpUtf8: false, eightBitMime: false },
  ),
  [{ id: "k", selector: "e1", algorithm: "ed25519-sha256", pkcs8: () => pkcs8 }],
  { domain: "x.test", now: new Date(), reuseBuffer: true },
);
let bytes = 0;
for await (const chunk of outgoing.chunks()) bytes += chunk.length;
console.log(JSON.stringify({ size: outgoing.size, bytes, peakKib: process.resourceUsage().maxRSS }));

async function* generated(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += 65_536) yield new Uint8Array(Math.min(65_536, size - at)).fill(at >> 16);
}
