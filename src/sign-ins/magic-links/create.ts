import type { Ctx } from "../../context.ts";
import { issueOneTimeToken } from "../../one-time-tokens/index.ts";
import { MAGIC_LINK_TTL_MS } from "../rules.ts";

/** Stores a sign-in link of an address and returns its URL. `method` is recorded in the session. */
export async function createMagicLink(
  ctx: Ctx,
  { email, next, method = "magic_link" }: { email: string; next: string; method?: "magic_link" | "bootstrap" },
): Promise<string> {
  const { token, statement } = await issueOneTimeToken(ctx, "magic_link", {
    subject: email,
    data: { next, method },
    ttlMs: MAGIC_LINK_TTL_MS,
  });
  await statement.run();
  return `${ctx.settings.publicUrl}/auth/magic-link/${token}`;
}
