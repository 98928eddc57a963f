import type { Ctx } from "../../platform/context.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { newFeedbackId } from "../../platform/mail-tokens/feedback-id.ts";

/** Returns the address that receives complaints by RFC 9477. */
const cfblAddress = ({ settings }: Pick<Ctx, "settings">) => `cfbl@${settings.bounceDomain}`;

/** Returns whether an address is that of complaints by RFC 9477. It is one without a key too: mail from before names it. */
export const isCfblAddress = (ctx: Pick<Ctx, "settings">, address: string): boolean =>
  address.toLowerCase() === cfblAddress(ctx);

const CFBL_FIELD = /^cfbl-(?:address|feedback-id)$/i;

/** Returns whether a header has a field of RFC 9477. The service adds none then: a message has one CFBL-Address (RFC 9477 3.2). */
export const hasCfblField = (names: readonly string[]): boolean => names.some((name) => CFBL_FIELD.test(name));

/**
 * Returns CFBL-Address and CFBL-Feedback-ID (RFC 9477 4) of bulk mail; none without a key of the domain of the address, whose
 * signature RFC 9477 3.1.3 demands beside that of the sender. Both signatures cover both fields (RFC 9477 3.1.4). The reports are
 * to be in ARF, which every receiver of reports must accept (RFC 9477 3.4), not in XARF. `mail` must have one recipient.
 */
export async function cfblHeaders(ctx: Ctx, mail: MailReference): Promise<[string, string][]> {
  const { cfblKey, masterKeys } = ctx.settings;
  if (!cfblKey) return [];
  return [
    ["CFBL-Address", `${cfblAddress(ctx)}; report=arf`],
    ["CFBL-Feedback-ID", await newFeedbackId(masterKeys, mail)],
  ];
}
