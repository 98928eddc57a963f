import * as z from "zod";
import { plainText } from "../../mail/texts/text.ts";
import type { Signature } from "../mailbox-store/index.ts";
import type { OpenMailbox } from "./open.ts";
import { sanitizeWritten } from "./written-html.ts";

/** Limits of a signature: it is in each message that the mailbox sends. In characters. */
const [MAX_TEXT, MAX_HTML] = [2_000, 10_000];

/** A signature as a person writes it: as text, or as HTML in place of it. */
export const SignatureIn = z.object({ text: z.string(), html: z.string() }).transform(({ text, html }, context) => {
  const issue = (msg: string) => context.addIssue({ code: "custom", path: ["text"], message: msg });
  const clean = sanitizeWritten(html);
  if (clean === null) {
    issue(`The signature with its formatting is too long; the limit is ${MAX_HTML}`);
    return z.NEVER;
  }
  const plain = (clean === "" ? text : plainText(clean)).replaceAll("\r\n", "\n").trim();
  if (plain.length > MAX_TEXT) issue(`The signature has ${plain.length} characters; the limit is ${MAX_TEXT}`);
  else if (clean.length > MAX_HTML)
    issue(`The signature with its formatting has ${clean.length} characters; the limit is ${MAX_HTML}`);
  return { text: plain, html: plain === "" || clean === "" ? null : clean } satisfies Signature;
});
export type SignatureIn = z.output<typeof SignatureIn>;

/** Replaces the signature of a mailbox. An empty one removes it. */
export async function replaceSignature({ store }: OpenMailbox, signature: SignatureIn): Promise<void> {
  await store.saveSignature(signature.text === "" ? null : signature);
}
