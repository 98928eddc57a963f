import type { Ctx } from "../context.ts";
import { type HitKind, type TrackedLink, type TrackedMail, tokenName } from "../mail-tokens/index.ts";
import type { HitMessage } from "./hit.ts";
import { MAX_USER_AGENT, REPEAT_SECONDS } from "./rules.ts";

/** Who asked, as the request says. */
export interface HitClient {
  userAgent: string;
  ip: string;
  /** What the request says it is for (Sec-Purpose); empty: for somebody to look at. */
  purpose: string;
}

/**
 * Puts an open or a click on the queue, unless the same token came within a minute (in this part of the world). Asks
 * no database, and never throws: losing a hit costs a count, failing would cost the reader a page.
 */
export async function enqueueHit(
  ctx: Ctx,
  kind: HitKind,
  token: string,
  tracked: TrackedMail | TrackedLink,
  asker: HitClient,
): Promise<void> {
  try {
    const seen = new Request(`${ctx.settings.publicUrl}/t/seen/${kind}/${tokenName(token)}`);
    if (await caches.default.match(seen)) return;
    await ctx.env.HITS.send(toMessage(ctx, kind, tracked, asker));
    const headers = { "Cache-Control": `max-age=${REPEAT_SECONDS}` };
    await caches.default.put(seen, new Response("seen", { headers }));
  } catch (error) {
    ctx.log("hit.lost", { email: tracked.emailId, kind, error: String(error) });
  }
}

function toMessage(ctx: Ctx, kind: HitKind, tracked: TrackedMail | TrackedLink, asker: HitClient): HitMessage {
  return {
    type: "hit.v1",
    id: ctx.newId(),
    kind,
    workspace: tracked.workspace,
    email: tracked.emailId,
    recipient: tracked.recipient === "all" ? null : tracked.recipient,
    at: ctx.now(),
    ...("url" in tracked ? { url: tracked.url } : {}),
    ua: asker.userAgent.slice(0, MAX_USER_AGENT),
    ip: asker.ip,
    ...(asker.purpose ? { purpose: asker.purpose.slice(0, MAX_USER_AGENT) } : {}),
  };
}
