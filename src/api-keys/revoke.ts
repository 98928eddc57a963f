import { and, eq, sql } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { apiKeys } from "../db/schema/main/index.ts";
import { notFound } from "../errors.ts";
import { parseUuid } from "../lib/ids.ts";
import { visibleToCaller } from "./queries.ts";

/**
 * Revokes an API key of any user of the caller's workspace, from the next request on. Revoking again keeps the first
 * `revoked_at`. Throws 404 for an unknown id and, to a key that is restricted to domains, for a key with other domains.
 */
export async function revokeApiKey(ctx: CallerCtx, id: string): Promise<void> {
  const uuid = parseUuid(id);
  if (uuid === null) throw notFound("API key");
  const revoked = await orm(ctx)
    .update(apiKeys)
    .set({ revokedAt: sql`ifnull(${apiKeys.revokedAt}, ${ctx.now()})` })
    .where(and(visibleToCaller(ctx), eq(apiKeys.id, uuid)))
    .returning({ id: apiKeys.id });
  if (revoked.length === 0) throw notFound("API key");
}
