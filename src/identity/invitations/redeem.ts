import type { Client } from "../../access/sessions/start.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { AppError } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { completeSignIn, type SignIn } from "../sign-ins/index.ts";
import { acceptStatements } from "./accept.ts";
import { getInvitation } from "./queries.ts";

/**
 * Accepts an invitation by its link alone, which proves the address as a sign-in link does: creates the account when there
 * is none, and signs in. With TOTP on, the sign-in waits for the second factor. Throws 404 and 410 as `getInvitation`.
 */
export async function redeemInvitation(ctx: Ctx, token: string, client: Client): Promise<SignIn> {
  const invitation = await getInvitation(ctx, token);
  const address = parseAddress(invitation.email);
  if (!address) throw new AppError(404, "Invitation not found");
  const by = (userId: string) => ({
    actor: { userId, email: address.address, kind: "invitation" as const, credentialId: invitation.id },
    clientIp: client.ip,
  });
  return completeSignIn(ctx, {
    address,
    name: null,
    method: "invitation",
    client,
    next: "/app",
    redeem: [],
    accept: (userId) => acceptStatements(ctx, invitation, by(userId)),
    joins: invitation.workspace.id,
  });
}
