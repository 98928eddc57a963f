import { toBase64, utf8 } from "../../lib/bytes.ts";
import { open, seal } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";

/** Purpose under which the secrets of webhooks are encrypted (lib/secret-box). The context is the id of the webhook. */
export const WEBHOOK_PURPOSE = "webhook-secret";

/** Returns a new secret: `whsec_` and the base64 of 32 random bytes (docs/contract/webhooks.md#webhook-secrets). */
export const newWebhookSecret = (): string => `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`;

/** Encrypts the secret of a webhook. */
export function sealSecret(ctx: Pick<Ctx, "settings">, id: string, secret: string): Promise<string> {
  return seal(ctx.settings.masterKeys, WEBHOOK_PURPOSE, id, utf8(secret));
}

/** Decrypts it. Throws when the row was altered or its master key is not configured. */
export async function openSecret(ctx: Pick<Ctx, "settings">, id: string, sealed: string): Promise<string> {
  return new TextDecoder().decode(await open(ctx.settings.masterKeys, WEBHOOK_PURPOSE, id, sealed));
}
