import { withTimeout } from "../../lib/deadline.ts";
import { timeOfId } from "../../lib/ids.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";
import type { TrackedLink } from "../../platform/mail-tokens/tracking.ts";
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
         w.number IS NOT NULL AS hasWorkspace, w.settings->>'$.retention_days' AS days
    FROM (SELECT 1) LEFT JOIN workspaces w ON w.number = ?1 AND w.deleted_at IS NULL`;

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
  const name = `${link.workspace}/${encodeURIComponent(host)}`;
  const [state = "", days] = (await cached(ctx, name, () => readState(ctx, link.workspace, host))).split(" ");
  // Retention deletes no email before this time, so most links share one cache entry per workspace and host.
  const isRecent = timeOfId(link.emailId) >= ctx.now() - Number(days) * DAY_MS;
  if (state !== "active" || isRecent) return state as LinkState;
  const isKept = async () => ((await findEmail(ctx, link)) ? "active" : "expired");
  return (await cached(ctx, `${link.workspace}/email/${link.emailId}`, isKept)) as LinkState;
}

/** Returns what is cached under a name, or what `read` returns. */
async function cached(ctx: Ctx, name: string, read: () => Promise<string>): Promise<string> {
  const key = new Request(`${ctx.settings.publicUrl}/t/link-state/${name}`);
  const found = await caches.default.match(key);
  if (found) return found.text();
  const value = await read();
  await caches.default.put(key, new Response(value, { headers: { "Cache-Control": `max-age=${CACHE_SECONDS}` } }));
  return value;
}

/** Returns the state of links to a host, and the days for which the workspace keeps its emails. */
async function readState(ctx: Ctx, workspace: number, host: string): Promise<string> {
  type Found = { isBlocked: number; hasWorkspace: number; days: number | null };
  const row = await ctx.db.findRow<Found>(FIND_STATE, workspace, JSON.stringify(namesOf(host)));
  if (row?.isBlocked) return "blocked";
  const { retentionDays } = ctx.settings;
  return row?.hasWorkspace ? `active ${Math.min(row.days ?? retentionDays, retentionDays)}` : "expired";
}

/** Returns a host with its parent domains: at most 127 names, since each label has a character and a dot. */
function namesOf(host: string): string[] {
  const labels = host.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}
