import type { CallerCtx } from "../../access/caller.ts";
import { invalidField } from "../../lib/errors.ts";
import { checkPublicUrl } from "../../platform/public-urls/check.ts";

/**
 * Throws 422 when the service may not send requests to a URL (docs/contract/webhooks.md#webhook-urls). Makes two DNS queries.
 */
export async function requirePublicUrl(ctx: CallerCtx, url: string): Promise<void> {
  const checked = await checkPublicUrl(ctx, url);
  if ("problem" in checked) throw invalidField("url", `url is refused: ${checked.problem}`);
}
