import type { Ctx } from "../context.ts";
import { type MailReference, newUnsubscribeAddress } from "../mail-tokens/index.ts";

/**
 * The headers that let a recipient of bulk mail leave with one click (RFC 2369, RFC 8058): both ways carry the same
 * signed token. For mail to one recipient: with several, nobody could say who asked.
 */
export async function unsubscribeHeaders(ctx: Ctx, mail: MailReference): Promise<[string, string][]> {
  const { masterKeys, bounceDomain, publicUrl } = ctx.settings;
  const address = await newUnsubscribeAddress(masterKeys, mail, bounceDomain);
  const token = address.slice(0, address.lastIndexOf("@"));
  return [
    ["List-Unsubscribe", `<${publicUrl}/u/${token}>, <mailto:${address}?subject=unsubscribe>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
  ];
}
