import { forEachAtOnce } from "../../lib/at-once.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";
import {
  type CustomHostname,
  type CustomHostnames,
  customHostnames,
  type HostnameResult,
} from "../../platform/custom-hostnames/cloudflare.ts";
import type { customHosts } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { bumpPolicyIdStatement } from "../zones/index.ts";
import { keptUntil } from "./policy-rules.ts";
import { type HostAction, type HostStatus, type HostStep, nextStep, type Observation, observe } from "./rules.ts";

/** Hosts that one run checks. The job runs each minute, so 86,400 hosts have their daily check. */
const HOSTS_PER_RUN = 60;
/** Hosts that are checked at once. Each makes up to three calls of at most 5 s, so a run takes at most 225 s. */
const CONCURRENCY = 4;
/** No other run takes a host for so long. */
const LEASE_MS = 5 * MINUTE_MS;

type HostColumns = "name" | "status" | "hostname_id" | "created_at" | "policy_mode" | "policy_kept_until";
type HostRow = StoredColumns<typeof customHosts, HostColumns>;

const COLUMNS = "name, status, hostname_id, created_at, policy_mode, policy_kept_until";

const CLAIM = `
  UPDATE custom_hosts SET next_check_at = ?2 WHERE name IN (
    SELECT name FROM custom_hosts WHERE next_check_at <= ?1 ORDER BY next_check_at LIMIT ?3)
  RETURNING ${COLUMNS}`;

// Also takes a host that a run has claimed: that run then saves nothing.
const CLAIM_OF_DOMAIN = `
  UPDATE custom_hosts SET next_check_at = ?2 WHERE domain_id = ?1 AND problem IS NOT 'record'
  RETURNING ${COLUMNS}`;

// A host that was removed, taken over or claimed meanwhile has another time.
const SAVE = `
  UPDATE custom_hosts SET status = ?3, problem = ?4, hostname_id = ?5, next_check_at = ?6, active_at = iif(?3 = 'active', coalesce(active_at, ?7), NULL)
   WHERE name = ?1 AND next_check_at = ?2`;

// Of a domain that is gone: its policy ends before its custom hostname does (RFC 8461 8.3).
const END_POLICY = `
  UPDATE custom_hosts SET policy_mode = 'none', policy_since = iif(policy_mode = 'none', policy_since, ?3), policy_kept_until = ?4,
    policy_due_at = NULL, policy_is_held = 0, next_check_at = max(?3, ifnull(?4, 0)) WHERE name = ?1 AND next_check_at = ?2`;

const FORGET = "DELETE FROM custom_hosts WHERE name = ?1 AND next_check_at = ?2";

/** Checks the hosts that are due, and creates, restarts or deletes their custom hostnames. Never throws. */
export async function advanceHosts(ctx: Ctx): Promise<void> {
  const hostnames = customHostnames(ctx.settings);
  if (!hostnames) return;
  try {
    const lease = ctx.now() + LEASE_MS;
    const results = await ctx.db.listRows<HostRow>(CLAIM, ctx.now(), lease, HOSTS_PER_RUN);
    await forEachAtOnce(CONCURRENCY, results, (row) => advance(ctx, hostnames, row, lease));
  } catch (error) {
    ctx.log("custom-hosts.failed", { error: String(error) });
  }
}

/** Checks the hosts of a domain now. At most three calls of the API for each of its two hosts, which take 15 s at most. */
export async function advanceHostsOf(ctx: Ctx, domainId: string): Promise<void> {
  const hostnames = customHostnames(ctx.settings);
  if (!hostnames) return;
  const lease = ctx.now() + LEASE_MS;
  const results = await ctx.db.listRows<HostRow>(CLAIM_OF_DOMAIN, domainId, lease);
  await Promise.all(results.map((row) => advance(ctx, hostnames, row, lease)));
}

/** Takes one step of a host. When it ends before the step is saved, the step is repeated: each call may be made twice. */
async function advance(ctx: Ctx, hostnames: CustomHostnames, row: HostRow, lease: number): Promise<void> {
  const now = ctx.now();
  if (row.status === "removing" && (await endPolicy(ctx, row, lease))) return;
  const looked = await look(hostnames, row);
  const first = toObservation(looked);
  const planned = nextStep(row.status, first, now - row.created_at);
  const acted = await act(hostnames, planned.action, row.name, looked);
  const seen = acted === null ? first : toObservation(acted);
  const taken = acted === null || planned.action === "remove" ? planned : afterAction(row.status, planned, seen);
  if (looked.kind === "unavailable" || acted?.kind === "unavailable")
    ctx.log("custom-hosts.unavailable", { host: row.name, reason: reasonOf(acted) ?? reasonOf(looked) });
  if (taken.action === "forget") {
    await ctx.db.execute(FORGET, row.name, lease);
    return;
  }
  // An id that could not be read stays.
  const id = (acted === null ? null : idOf(acted)) ?? (looked.kind === "ok" ? idOf(looked) : row.hostname_id);
  const problem = taken.to === "active" ? null : seen;
  await ctx.db.execute(SAVE, row.name, lease, taken.to, problem, id, now + taken.waitMs, now);
}

/** Ends the policy of a host that is to be removed. Returns true while senders may keep one that enforces; it serves `none` until then. */
async function endPolicy(ctx: Ctx, { name, policy_mode: mode, policy_kept_until: kept }: HostRow, lease: number) {
  const now = ctx.now();
  const until = mode === null ? null : keptUntil(mode, kept, now);
  if (until === null || until <= now) return false;
  const end = ctx.db.prepare(END_POLICY).bind(name, lease, now, until);
  await ctx.db.batch(mode === "none" ? [end] : [end, bumpPolicyIdStatement(ctx, null)]);
  return true;
}

/** Looks at the custom hostname: by its id, and by its name when there is none, since a response may have been lost. */
async function look(hostnames: CustomHostnames, { name, hostname_id: id }: HostRow) {
  const read = id === null ? null : await hostnames.read(id);
  return read === null || (read.kind === "ok" && read.value === null) ? hostnames.find(name) : read;
}

type Seen = HostnameResult<CustomHostname | null>;

async function act(hostnames: CustomHostnames, action: HostAction, name: string, looked: Seen): Promise<Seen | null> {
  if (action === "create") return hostnames.create(name);
  const id = idOf(looked);
  if (id === null || action === null || action === "forget") return null;
  return action === "restart" ? hostnames.restart(id) : hostnames.remove(id);
}

/** The step after a call that created or restarted: as if the host had been found so. A restart does not end a failure. */
function afterAction(status: HostStatus, planned: HostStep, seen: Observation): HostStep {
  if (seen === "unavailable" || seen === "refused") return nextStep(status, seen, 0);
  return planned.action === "create" ? { ...nextStep(status, seen, 0), action: null } : planned;
}

function toObservation(result: Seen): Observation {
  if (result.kind !== "ok") return result.kind;
  return result.value === null ? "absent" : observe(result.value);
}

const idOf = (result: Seen): string | null => (result.kind === "ok" ? (result.value?.id ?? null) : null);
const reasonOf = (result: Seen | null): string | null =>
  result === null || result.kind === "ok" ? null : result.reason;
