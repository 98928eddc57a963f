import type { Ctx } from "../../platform/context.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { newUnsubscribeAddress } from "../../platform/mail-tokens/return-path.ts";

/**
 * Returns the headers List-Unsubscribe (https and mailto) and List-Unsubscribe-Post (RFC 2369, RFC 8058). Both addresses carry the same
 * signed token. `mail` must have one recipient, because the token identifies who unsubscribes. `linkUrl`: the origin of the link.
 */
export async function unsubscribeHeaders(ctx: Ctx, mail: MailReference, linkUrl: string): Promise<[string, string][]> {
  const { masterKeys, bounceDomain } = ctx.settings;
  const address = await newUnsubscribeAddress(masterKeys, mail, bounceDomain);
  const token = address.slice(0, address.lastIndexOf("@"));
  return [
    ["List-Unsubscribe", `<${linkUrl}/u/${token}>, <mailto:${address}?subject=unsubscribe>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
  ];
}
