import { clientNetwork } from "../../lib/ip-addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { type HitKind, type TrackedLink, tokenName } from "../../platform/mail-tokens/tracking.ts";
import type { HitMessage } from "./hit.ts";
import { type HitClient, isMachine, MAX_CLIENT_FIELD, REPEAT_SECONDS } from "./rules.ts";

/** Cache entries per IP address, shared by user agents. A client that varies its user agent could flood the queue. */
const USER_AGENT_SLOTS = 64;

/**
 * Sends an open or a click to the queue, unless the same client requested the same token within the last 60 s in this
 * data center. All machines count as one client, separate from persons. Makes no database query. Never throws: a lost
 * hit costs one count, but after an error the recipient would not see the page.
 */
export async function enqueueHit(
  ctx: Ctx,
  kind: HitKind,
  token: string,
  tracked: MailReference | TrackedLink,
  client: HitClient,
): Promise<void> {
  try {
    const cacheKey = new Request(`${ctx.settings.publicUrl}/t/seen/${kind}/${cacheName(client)}/${tokenName(token)}`);
    if (await caches.default.match(cacheKey)) return;
    await ctx.env.HITS.send(toMessage(ctx, kind, tracked, client));
    const headers = { "Cache-Control": `max-age=${REPEAT_SECONDS}` };
    await caches.default.put(cacheKey, new Response("seen", { headers }));
  } catch (error) {
    ctx.log("hit.lost", { email: tracked.emailId, kind, error: String(error) });
  }
}

/**
 * Returns the name of a client in the cache. A scanner can look like a person at its first request, so persons are
 * distinguished by address and user agent. Repeats that pass the cache are merged later (classify-hits.ts).
 */
function cacheName(client: HitClient): string {
  if (isMachine(client)) return "machine";
  let hash = 0;
  for (const character of client.userAgent.slice(0, MAX_CLIENT_FIELD)) {
    hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 32;
  }
  return `person/${encodeURIComponent(clientNetwork(client.ip))}/${hash % USER_AGENT_SLOTS}`;
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
    ua: client.userAgent.slice(0, MAX_CLIENT_FIELD),
    ip: client.ip,
    ...(client.purpose ? { purpose: client.purpose.slice(0, MAX_CLIENT_FIELD) } : {}),
    ...(client.network ? { network: client.network.slice(0, MAX_CLIENT_FIELD) } : {}),
  };
}
