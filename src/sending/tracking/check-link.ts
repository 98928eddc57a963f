import { withTimeout } from "../../lib/deadline.ts";
import { timeOfId } from "../../lib/ids.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";
import type { TrackedLink } from "../../platform/mail-tokens/index.ts";
import { findEmail } from "../emails/index.ts";

/** `expired`: the workspace is deleted, or the email is past its retention. `blocked`: the target's host is blocked. */
export type LinkState = "active" | "expired" | "blocked";

/** The result for a workspace and a host is cached this long, in seconds: a block takes effect after that. */
const CACHE_SECONDS = 60;
/** A lookup that takes longer counts as failed, in milliseconds: the recipient waits for the redirect. */
const LOOKUP_MS = 2_000;
/** Longest host name without its final dot, in characters (RFC 1035 2.3.4). A longer one cannot be resolved or blocked. */
const MAX_HOST = 253;

// One seek for the workspace, and one for each name of the host.
const FIND_STATE = `
  SELECT EXISTS (SELECT 1 FROM blocked_hosts WHERE host IN (SELECT value FROM json_each(?2))) AS isBlocked,
         EXISTS (SELECT 1 FROM workspaces WHERE number = ?1 AND deleted_at IS NULL) AS hasWorkspace`;

/**
 * Returns whether a tracking link redirects (docs/contract/tracking.md#tracking-links). Reads D1 only when this data center has
 * no result younger than 60 s for the workspace and the host. Never throws: when the lookup fails, the link is active.
 */
export async function checkLink(ctx: Ctx, link: TrackedLink): Promise<LinkState> {
  try {
    return await withTimeout(LOOKUP_MS, cachedState(ctx, link));
  } catch (error) {
    ctx.log("link.check_failed", { email: link.emailId, error: String(error) });
    return "active";
  }
}

async function cachedState(ctx: Ctx, link: TrackedLink): Promise<LinkState> {
  const { hostname } = new URL(link.url);
  const host = hostname.length > MAX_HOST + 1 ? "" : hostname.replace(/\.$/, "");
  // Retention deletes no email before this time, so most links share one cache entry per workspace and host.
  const isRecent = timeOfId(link.emailId) >= ctx.now() - ctx.settings.retentionDays * DAY_MS;
  const subject = isRecent ? `${link.workspace}` : `${link.workspace}/${link.emailId}`;
  const cacheKey = new Request(`${ctx.settings.publicUrl}/t/link-state/${subject}/${encodeURIComponent(host)}`);
  const cached = await caches.default.match(cacheKey);
  if (cached) return (await cached.text()) as LinkState;
  const state = await readState(ctx, link, host, isRecent);
  const headers = { "Cache-Control": `max-age=${CACHE_SECONDS}` };
  await caches.default.put(cacheKey, new Response(state, { headers }));
  return state;
}

async function readState(ctx: Ctx, link: TrackedLink, host: string, isRecent: boolean): Promise<LinkState> {
  const { workspace, emailId } = link;
  const [row, email] = await Promise.all([
    ctx.db
      .prepare(FIND_STATE)
      .bind(workspace, JSON.stringify(namesOf(host)))
      .first<{ isBlocked: number; hasWorkspace: number }>(),
    isRecent || findEmail(ctx, { workspace, emailId }),
  ]);
  if (row?.isBlocked) return "blocked";
  return row?.hasWorkspace && email ? "active" : "expired";
}

/** Returns a host with its parent domains: at most 127 names, since each label has a character and a dot. */
function namesOf(host: string): string[] {
  const labels = host.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}
