import { type DkimAlgorithm, generateDkimKeyPair, type SigningKey } from "../src/mail/dkim/keys.ts";
import { signMessage } from "../src/mail/dkim/sign.ts";
import { compose } from "../src/mail/mime/compose.ts";
import { textOfSize } from "./text.ts";

const keys: SigningKey[] = [];
/** The fields of bulk mail (src/sending/delivery/compose-mail.ts). */
const BULK_FIELDS: [string, string][] = [
  ["Feedback-ID", ":w1:bulk:benchexample"],
  ["CFBL-Address", "cfbl@bounces.example; report=arf"],
  ["CFBL-Feedback-ID", "a".repeat(56)],
  ["List-Unsubscribe", `<https://mail.example/u/u${"a".repeat(56)}>, <mailto:u${"a".repeat(56)}@bounces.example>`],
  ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
];

async function signingKey(algorithm: DkimAlgorithm, domain = "bench.example"): Promise<SigningKey> {
  const { pkcs8 } = await generateDkimKeyPair(algorithm);
  return { id: `${algorithm} ${domain}`, selector: "bench", algorithm, domain, pkcs8: () => pkcs8 };
}

async function makeKeys(): Promise<SigningKey[]> {
  return [
    await signingKey("rsa-sha256"),
    await signingKey("ed25519-sha256"),
    await signingKey("rsa-sha256", "bounces.example"),
  ];
}

interface Work {
  text: number;
  file: number;
  times: number;
  isBulk?: boolean;
}

/** Composes, signs and reads one message `times` times. The attachment is generated while it is read. */
export async function composeEndpoint(request: Request): Promise<Response> {
  const { text, file, times, isBulk } = await request.json<Work>();
  if (keys.length === 0) keys.push(...(await makeKeys()));
  const options = { domain: "bench.example", now: new Date(0), reuseBuffer: true };
  let bytes = 0;
  for (let i = 0; i < times; i++) {
    const composed = compose(
      {
        id: crypto.randomUUID(),
        messageId: "<1@bench.example>",
        date: new Date(0),
        from: { email: "hello@bench.example", name: "Bench" },
        to: [{ email: "friend@example.org" }],
        cc: [],
        subject: "A measured mail",
        headers: isBulk ? BULK_FIELDS : [],
        text: textOfSize(text),
        attachments:
          file === 0
            ? []
            : [
                {
                  filename: "file.bin",
                  contentType: "application/pdf",
                  disposition: "attachment",
                  size: file,
                  open: () => generatedFile(file),
                },
              ],
      },
      { smtpUtf8: true, eightBitMime: true },
    );
    const message = await signMessage(composed, isBulk ? keys : keys.slice(0, 2), options);
    for await (const chunk of message.chunks()) bytes += chunk.byteLength;
  }
  return Response.json({ bytes });
}

async function* generatedFile(size: number): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(64 * 1024).map((_, index) => index * 31);
  for (let rest = size; rest > 0; rest -= chunk.byteLength) yield chunk.subarray(0, Math.min(rest, chunk.byteLength));
}
