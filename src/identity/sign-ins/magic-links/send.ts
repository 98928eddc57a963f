import type { CallerCtx } from "../../../access/caller.ts";
import { type Address, parseAddress } from "../../../lib/addresses.ts";
import { clientNetwork } from "../../../lib/ip-addresses.ts";
import type { Ctx } from "../../../platform/context.ts";
import { requireAll } from "../../../platform/rate-limits/exact.ts";
import { readerOf } from "../../../platform/service-mail/rules.ts";
import type { SendSystemEmail } from "../../../platform/service-mail/system-email.ts";
import { newInvitationLink } from "../invitation-link.ts";
import { magicLinkPolicies } from "../rules.ts";
import { createMagicLink, issueMagicLink } from "./create.ts";

/** Counts a request for a sign-in link to any address, by address and ip (docs/contract/limits.md#rate-limits). Throws 429. */
export function countMagicLink(ctx: Ctx, address: Address, ip: string | null): Promise<void> {
  const ofIp = [magicLinkPolicies.ip, clientNetwork(ip ?? "unknown")] as const;
  return requireAll(
    ctx,
    [ofIp, [magicLinkPolicies.address, readerOf(address.key)]],
    "Too many sign-in links were requested",
  );
}

/** Emails a sign-in link to an address with an account, or while sign-up is open, else one to its invitation. Run it after the response. */
export async function sendMagicLink(
  ctx: Ctx,
  address: Address,
  next: string,
  sendEmail: SendSystemEmail,
): Promise<void> {
  const known = await ctx.db.findValue<string>("SELECT email FROM users WHERE email_key = ?1", address.key);
  if (known === null && ctx.settings.signUp !== "open") return sendInvitationLink(ctx, address, sendEmail);
  const url = await createMagicLink(ctx, { email: known ?? address.address, next });
  const host = new URL(ctx.settings.publicUrl).host;
  await sendEmail(ctx, {
    cause: "sign_in_link",
    to: known ?? address.address,
    subject: `Sign in to ${ctx.settings.serviceName}`,
    parts: [
      { ask: `Open this link to sign in to ${host}. It works once, within 15 minutes:`, label: "Sign in", url },
      "If you did not ask for it, ignore this email: signing in requires the link.",
    ],
  });
}

/** Emails a new link to the newest invitation of an address without an account, if it has one: perhaps none was emailed. */
async function sendInvitationLink(ctx: Ctx, address: Address, sendEmail: SendSystemEmail): Promise<void> {
  const link = await newInvitationLink(ctx, address);
  if (link === null) return;
  const { publicUrl, serviceName } = ctx.settings;
  const url = `${publicUrl}${link.path}`;
  const step = { ask: "You are invited. To see the invitation, open this link:", label: "See the invitation", url };
  const parts = [step, "If you did not ask for it, ignore this email."];
  const isSent = await sendEmail(ctx, {
    cause: "sign_in_link",
    to: address.address,
    subject: `Sign in to ${serviceName}`,
    parts,
  });
  // Its earlier link works until this one has been sent.
  if (isSent) await link.statement.run();
}

/** Emails the caller a link that proves its identity. The link counts against the limits of sign-in links. Throws 429. */
export async function sendProofLink(ctx: CallerCtx, ip: string | null, sendEmail: SendSystemEmail): Promise<void> {
  const address = parseAddress(ctx.actor.email);
  if (!address) throw new Error("the account has no valid address");
  await countMagicLink(ctx, address, ip);
  const { token, statement } = await issueMagicLink(ctx, { email: address.address, next: "/app" });
  await statement.run();
  const { publicUrl, serviceName } = ctx.settings;
  await sendEmail(ctx, {
    cause: "sign_in_link",
    to: address.address,
    subject: `Prove that it is you at ${serviceName}`,
    parts: [
      {
        ask: "Open this link within 15 minutes to prove your identity:",
        label: "Prove that it is me",
        url: `${publicUrl}/app/security/proof?proof=${token}`,
      },
      "If you did not ask for it, ignore this email and end the sessions that you do not recognise.",
    ],
  });
}
