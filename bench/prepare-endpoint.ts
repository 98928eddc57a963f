import { type DkimAlgorithm, generateDkimKeyPair, type SigningKey } from "../src/mail/dkim/keys.ts";
import { signMessage } from "../src/mail/dkim/sign.ts";
import { compose } from "../src/mail/mime/compose.ts";
import { createContext } from "../src/platform/context.ts";
import { trackHtml } from "../src/sending/tracking/index.ts";

/** html and text of one email together, in bytes (docs/contract/limits.md#one-email). */
const MAX_BODY = 5_000_000;

/** Bodies that cost the most to track and to compose, each at the limit of accept. */
const BODIES: Record<string, () => { html?: string; text?: string }> = {
  plain: () => ({ html: fill("<p>A paragraph of text.</p>\n") }),
  links: () => ({ html: fill('<a href="https://a.example/?b=1">x</a>\n') }),
  "short links": () => ({ html: fill("<a href=x></a>") }),
  "wide links": () => ({ html: `\u6f22${fill('<a href="https://a.example/">x</a>', MAX_BODY - 3)}` }),
  "long targets": () => ({ html: fill(`<a href="https://a.example/${"x".repeat(4_950)}">x</a>`) }),
  references: () => ({ html: fill(`<a href="http://x/${"&lt".repeat(160)}">`) }),
  "untracked references": () => ({ html: fill(`<a href="y://x/${"&lt".repeat(160)}">`) }),
  bodies: () => ({ html: fill("<body></body>") }),
  attributes: () => ({ html: `<a ${fill("b ", 2_500_000)} href="https://a.example/">` }),
  "marker characters": () => ({
    html: `${fill("x", 4_900_000)}${String.fromCharCode(...Array.from({ length: 6_400 }, (_, i) => 0xe000 + i))}`,
  }),
  "line ends": () => ({ text: `\u00e9${fill("\n", 2_400_000)}`, html: `\u00e9${fill("\n", 2_500_000)}` }),
  "ASCII line ends": () => ({ text: fill("\n", 2_400_000), html: fill("\n", 2_500_000) }),
  escapes: () => ({ text: fill("12345\u0001", 2_400_000), html: fill("12345\u0001", 2_500_000) }),
  spaces: () => ({ text: `\u00e9${fill(" \n", 2_400_000)}`, html: `\u00e9${fill(" \n", 2_500_000)}` }),
  binary: () => ({ text: fill("\u0001", 2_400_000), html: fill("\u6f22", 2_400_000) }),
};

const fill = (piece: string, size = MAX_BODY) =>
  piece.repeat(Math.floor(size / new TextEncoder().encode(piece).length));

const keys: SigningKey[] = [];

async function signingKey(algorithm: DkimAlgorithm): Promise<SigningKey> {
  const { pkcs8 } = await generateDkimKeyPair(algorithm);
  return { id: `prepare ${algorithm}`, selector: "bench", algorithm, pkcs8: () => pkcs8 };
}

/** Tracks, composes, signs and reads the largest email that accept admits, with the named bodies. Without a name it lists the names. */
export async function prepareEndpoint(request: Request, env: Env): Promise<Response> {
  const { body } = await request.json<{ body?: string }>();
  if (keys.length === 0) keys.push(await signingKey("rsa-sha256"), await signingKey("ed25519-sha256"));
  const make = BODIES[body ?? ""];
  if (!make) return Response.json(Object.keys(BODIES));
  const bytes = await prepare(env, make());
  return Response.json({ bytes });
}

async function prepare(env: Env, { html, text }: { html?: string; text?: string }): Promise<number> {
  const ctx = createContext(env, "bench");
  const mail = { workspace: 1, emailId: ctx.newId(), recipient: "all" as const };
  const tracking = { opens: true, clicks: true };
  const tracked = html === undefined ? undefined : (await trackHtml(ctx, html, mail, tracking)).html;
  const name = "\u6f22".repeat(106);
  const address = (n: number) => ({ email: `${"a".repeat(60)}${n}@bench.example`, name });
  const composed = compose(
    {
      id: mail.emailId,
      messageId: "<1@bench.example>",
      date: new Date(0),
      from: address(99),
      to: Array.from({ length: 50 }, (_, n) => address(n)),
      cc: [],
      subject: "\u6f22".repeat(300),
      headers: Array.from({ length: 50 }, (_, n): [string, string] => [`X-Header-${n}`, "\u6f22".repeat(105)]),
      text,
      html: tracked,
      attachments: Array.from({ length: 100 }, () => ({
        filename: "\u6f22".repeat(85),
        contentType: "application/pdf",
        disposition: "attachment",
        size: 1_000,
        open: () => new Blob([new Uint8Array(1_000)]).stream(),
      })),
    },
    { smtpUtf8: true, eightBitMime: true },
  );
  const message = await signMessage(composed, keys, { domain: "bench.example", now: new Date(0), reuseBuffer: true });
  let bytes = 0;
  for await (const chunk of message.chunks()) bytes += chunk.byteLength;
  return bytes;
}
