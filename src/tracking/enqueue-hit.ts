import type { Ctx } from "../context.ts";
import { type HitKind, type MailReference, type TrackedLink, tokenName } from "../mail-tokens/index.ts";
import type { HitMessage } from "./hit.ts";
import { MAX_USER_AGENT, REPEAT_SECONDS } from "./rules.ts";

/** The client of a hit, from its request. */
export interface HitClient {
  userAgent: string;
  ip: string;
  /** The Sec-Purpose header or a predecessor of it. Empty for an ordinary request. */
  purpose: string;
}

/**
 * Sends an open or a click to the queue, unless the same token was requested within the last 60 s in this data center.
 * Makes no database query. Never throws: a lost hit costs one count, an error would cost the recipient the page.
 */
export async function enqueueHit(
  ctx: Ctx,
  kind: HitKind,
  token: string,
  tracked: MailReference | TrackedLink,
  client: HitClient,
): Promise<void> {
  try {
    const cacheKey = new Request(`${ctx.settings.publicUrl}/t/seen/${kind}/${tokenName(token)}`);
    if (await caches.default.match(cacheKey)) return;
    await ctx.env.HITS.send(toMessage(ctx, kind, tracked, client));
    const headers = { "Cache-Control": `max-age=${REPEAT_SECONDS}` };
    await caches.default.put(cacheKey, new Response("seen", { headers }));
  } catch (error) {
    ctx.log("hit.lost", { email: tracked.emailId, kind, error: String(error) });
  }
}

function toMessage(ctx: Ctx, kind: HitKind, tracked: MailReference | TrackedLink, client: HitClient): HitMessage {
  return {
    type: "hit.v1",
    id: ctx.newId(),
    kind,
    workspace: tracked.workspace,
    email: tracked.emailId,
    recipient: tracked.recipient === "all" ? null : tracked.recipient,
    at: ctx.now(),
    ...("url" in tracked ? { url: tracked.url } : {}),
    ua: client.userAgent.slice(0, MAX_USER_AGENT),
    ip: client.ip,
    ...(client.purpose ? { purpose: client.purpose.slice(0, MAX_USER_AGENT) } : {}),
  };
}
