import type { CallerCtx } from "../../../access/caller.ts";
import { getVariant } from "./queries.ts";
import { writeVariants } from "./write.ts";

/** Deletes a variant of a draft or scheduled broadcast. Throws 404, and 409 in any other status. */
export async function deleteVariant(ctx: CallerCtx, broadcastId: string, variantId: string): Promise<void> {
  await writeVariants(ctx, broadcastId, async (broadcast) => {
    const { broadcast: n, id } = await getVariant(ctx, broadcast, variantId);
    return {
      statement: ctx.mail.prepare("DELETE FROM broadcast_variants WHERE broadcast = ?1 AND id = ?2").bind(n, id),
      response: null,
    };
  });
}
