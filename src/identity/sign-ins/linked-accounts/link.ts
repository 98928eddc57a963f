import type { Ctx, MainStatement } from "../../../platform/context.ts";
import { type SendSystemEmail, sendNotice } from "../../../platform/service-mail/system-email.ts";

/** Providers whose accounts are linked to users, and their names for people. */
export const providerNames = { google: "Google", github: "GitHub" } as const;
export type Provider = keyof typeof providerNames;

/** An account at an identity provider. */
export interface ProviderAccount {
  provider: Provider;
  /** The provider's id of the account, which never changes. */
  subject: string;
  email: string;
}

const LINK = `
  INSERT INTO identities (provider, subject, email, user_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING`;

/** Returns the statement that links an account to a user, for the batch that starts the session: after the second factor. */
export const linkStatement = (ctx: Ctx, userId: string, { provider, subject, email }: ProviderAccount): MainStatement =>
  ctx.db.prepare(LINK).bind(provider, subject, email, userId, ctx.now());

/** Tells a user by email that an account was linked. */
export function announceLink(
  ctx: Ctx,
  { to, account }: { to: string; account: ProviderAccount },
  sendEmail: SendSystemEmail,
): Promise<void> {
  const { publicUrl, serviceName } = ctx.settings;
  const name = providerNames[account.provider];
  const url = `${publicUrl}/app/security`;
  const parts = [
    `The account ${account.email} at ${name} was used to sign in to ${serviceName} as ${to}, and signs in to it from now on.`,
    { ask: "If it was not you, unlink the account and end its sessions:", label: "Review your security", url },
  ];
  return sendNotice(
    ctx,
    { cause: "security_notice", to, subject: `${name} signs in to your account at ${serviceName}`, parts },
    sendEmail,
  );
}
