import { type DkimAlgorithm, generateDkimKeyPair, type SigningKey } from "../src/mail/dkim/keys.ts";
import { signMessage } from "../src/mail/dkim/sign.ts";
import { compose } from "../src/mail/mime/compose.ts";
import { textOfSize } from "./text.ts";

const DOMAIN = "bench.example";
const keys: SigningKey[] = [];

async function signingKey(algorithm: DkimAlgorithm): Promise<SigningKey> {
  const { pkcs8 } = await generateDkimKeyPair(algorithm);
  return { id: algorithm, selector: "bench", algorithm, domain: DOMAIN, pkcs8: () => pkcs8 };
}

/** Composes, signs and reads a message with a text of `bytes` bytes, `times` times. */
export async function composeEndpoint(request: Request): Promise<Response> {
  const { bytes, times } = await request.json<{ bytes: number; times: number }>();
  if (keys.length === 0) keys.push(await signingKey("rsa-sha256"), await signingKey("ed25519-sha256"));
  let written = 0;
  for (let i = 0; i < times; i++) {
    const composed = compose(
      {
        id: crypto.randomUUID(),
        messageId: `<1@${DOMAIN}>`,
        date: new Date(0),
        from: { email: `hello@${DOMAIN}`, name: "Bench" },
        to: [{ email: "friend@example.org" }],
        cc: [],
        subject: "A measured mail",
        headers: [],
        text: textOfSize(bytes),
        attachments: [],
      },
      { smtpUtf8: true, eightBitMime: true },
    );
    const message = await signMessage(composed, keys, { domain: DOMAIN, now: new Date(0), reuseBuffer: true });
    for await (const chunk of message.chunks()) written += chunk.byteLength;
  }
  return Response.json({ written });
}
