import type { Ctx } from "../../platform/context.ts";
import { type HostOwners, isOwner } from "./rules.ts";

/** How long an isolate keeps the owners of a host, in milliseconds. A transfer of the domain takes effect after that. */
const CACHE_MS = 60_000;
/** Hosts whose owners an isolate keeps. */
const MAX_CACHED = 1_000;

const FIND_OWNERS = "SELECT workspace, past_owners FROM custom_hosts WHERE name = ?1";

const cache = new Map<string, { owners: HostOwners | null; until: number }>();

/**
 * Returns whether a token of an email belongs to the host of a request (docs/contract/tracking.md#own-host). The shared host
 * (`null`) takes all: it is in emails of every workspace. Reads D1 at most once a minute for each host and isolate. Never throws:
 * when D1 does not respond, a link that this service signed works.
 */
export async function belongsToHost(
  ctx: Pick<Ctx, "db" | "now" | "log">,
  host: string | null,
  mail: { workspace: number; emailId: string },
): Promise<boolean> {
  if (host === null) return true;
  try {
    return isOwner(await findOwners(ctx, host), mail);
  } catch (error) {
    ctx.log("custom-hosts.owner.failed", { host, error: String(error) });
    return true;
  }
}

async function findOwners({ db, now }: Pick<Ctx, "db" | "now">, host: string): Promise<HostOwners | null> {
  const known = cache.get(host);
  if (known && known.until > now()) return known.owners;
  const row = await db.findRow<{ workspace: number; past_owners: string }>(FIND_OWNERS, host);
  const owners = row && { workspace: row.workspace, past: JSON.parse(row.past_owners) as HostOwners["past"] };
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  cache.delete(host);
  cache.set(host, { owners, until: now() + CACHE_MS });
  return owners;
}
