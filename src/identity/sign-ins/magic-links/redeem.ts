import type { Client } from "../../../access/sessions/start.ts";
import { findOneTimeToken, redeemStatements } from "../../../access/tokens/one-time-tokens.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import type { Ctx } from "../../../platform/context.ts";
import { completeSignIn, type SignIn } from "../complete.ts";
import { returnPath } from "../rules.ts";
import { linkMethod } from "./create.ts";

/** Returns the address of a sign-in link without redeeming it: mail scanners open links too. Null for an invalid one. */
export const findMagicLink = async (ctx: Ctx, token: string): Promise<string | null> =>
  (await findOneTimeToken(ctx, "magic_link", token))?.subject ?? null;

/** Redeems a sign-in link and signs its user in. Null for a link that is unknown, redeemed or expired. */
export async function redeemMagicLink(ctx: Ctx, token: string, client: Client): Promise<SignIn | null> {
  const found = await findOneTimeToken(ctx, "magic_link", token);
  const address = found && parseAddress(found.subject);
  if (!address) return null;
  const signIn = await completeSignIn(ctx, {
    address,
    name: null,
    method: linkMethod(found.data.method),
    client,
    next: returnPath(typeof found.data.next === "string" ? found.data.next : undefined),
    redeem: await redeemStatements(ctx, "magic_link", token),
  });
  return signIn.kind === "redeemed-before" ? null : signIn;
}
