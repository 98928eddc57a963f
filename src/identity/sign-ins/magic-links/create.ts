import { issueOneTimeToken } from "../../../access/tokens/one-time-tokens.ts";
import type { Ctx, MainStatement } from "../../../platform/context.ts";
import { MAGIC_LINK_TTL_MS } from "../rules.ts";

/** Ways in which a person gets a sign-in link: by email, or from the operator of the deployment. */
const METHODS = ["magic_link", "bootstrap", "operator"] as const;
type LinkMethod = (typeof METHODS)[number];

interface NewLink {
  email: string;
  next: string;
  /** It is recorded in the session. */
  method?: LinkMethod;
}

/** Returns a new sign-in link of an address: its token, its URL, and the statement that stores it. */
export async function issueMagicLink(
  ctx: Ctx,
  { email, next, method = "magic_link" }: NewLink,
): Promise<{ token: string; url: string; statement: MainStatement }> {
  const { token, statement } = await issueOneTimeToken(ctx, "magic_link", {
    subject: email,
    data: { next, method },
    ttlMs: MAGIC_LINK_TTL_MS,
  });
  return { token, url: `${ctx.settings.publicUrl}/auth/magic-link/${token}`, statement };
}

/** Stores a sign-in link of an address and returns its URL. */
export async function createMagicLink(ctx: Ctx, link: NewLink): Promise<string> {
  const { url, statement } = await issueMagicLink(ctx, link);
  await statement.run();
  return url;
}

/** Returns the method that the data of a stored link names; `magic_link` for an unknown one. Pure. */
export const linkMethod = (stored: unknown): LinkMethod => METHODS.find((method) => method === stored) ?? "magic_link";
