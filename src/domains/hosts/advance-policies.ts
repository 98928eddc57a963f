import { forEachAtOnce } from "../../lib/at-once.ts";
import { dayOf, MINUTE_MS } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import { onShard, shardSql } from "../../platform/jobs/shards.ts";
import { blockerOf, type PolicyBlocker, RETEST_MS, TEST_DAYS, TEST_MS } from "./policy-rules.ts";
import { type HostRow, ownPolicyStatements } from "./policy-statements.ts";

/** Policies that one run tests. The job runs each minute, so 57,600 policies have their daily test. */
const POLICIES_PER_RUN = 40;
const CONCURRENCY = 4;
/** D1 statements of one test. */
const TEST_STATEMENTS = 10;
/** No other run takes a policy for so long. */
const LEASE_MS = 5 * MINUTE_MS;

const CLAIM = `
  UPDATE custom_hosts SET policy_due_at = ?2 WHERE name IN (
    SELECT name FROM custom_hosts WHERE policy_due_at <= ?1 ORDER BY policy_due_at LIMIT ?3)
  RETURNING name`;

const READ = `
  SELECT h.name, h.domain_id AS domainId, h.status, h.policy_mode AS mode, h.policy_is_held AS isHeld, h.policy_since AS since,
         h.policy_kept_until AS keptUntil, d.name AS domain, d.workspace, d.records, d.health, ${shardSql("w")} AS shard
    FROM custom_hosts h JOIN domains d ON d.id = h.domain_id JOIN workspaces w ON w.number = d.workspace
   WHERE h.name IN (SELECT value FROM json_each(?1)) AND h.policy_due_at = ?2 AND d.status = 'verified' AND w.deleted_at IS NULL`;

// Days are sought one by one, so only rows of the domain are read.
const COUNT = `
  SELECT (SELECT count(*) FROM json_each(?1) j CROSS JOIN domain_reports t ON t.workspace = ?2 AND t.day = j.value AND t.domain_id = ?3
           WHERE t.kind = 'tls') AS reports,
         (SELECT coalesce(sum(t.sessions), 0) FROM json_each(?1) j CROSS JOIN tls_sessions t ON t.workspace = ?2 AND t.day = j.value
            AND t.domain_id = ?3 WHERE t.failure <> '') AS failures`;

// A policy that was changed meanwhile has another time.
const SAVE = "UPDATE custom_hosts SET policy_due_at = ?3, policy_blocker = ?4 WHERE name = ?1 AND policy_due_at = ?2";

interface DueRow {
  name: string;
  domainId: string;
  status: string;
  mode: "testing" | "enforce" | "none";
  isHeld: number;
  since: number;
  keptUntil: number | null;
  domain: string;
  workspace: number;
  records: string;
  health: string | null;
  shard: number;
}

/**
 * Tests the policies that are due, and enforces those that have passed (docs/contract/domains.md#mta-sts). A change matches the state
 * that was read, so runs at the same time make it once. Without due policies it costs one statement. Never throws.
 */
export async function advancePolicies(ctx: Ctx): Promise<void> {
  if (ctx.settings.hostnames === null) return;
  try {
    const lease = ctx.now() + LEASE_MS;
    const claimed = await ctx.db.listRows<{ name: string }>(CLAIM, ctx.now(), lease, POLICIES_PER_RUN);
    if (claimed.length === 0) return;
    const names = claimed.map(({ name }) => name);
    const results = await ctx.db.listRows<DueRow>(READ, JSON.stringify(names), lease);
    const found = new Set(results.map(({ name }) => name));
    // A domain that is gone, or no longer verified, is not tested: a check that finds its records starts the test again.
    const gone = names.filter((name) => !found.has(name));
    if (gone.length > 0) await ctx.db.batch(gone.map((name) => save(ctx, { name, lease, dueAt: null, blocker: null })));
    await forEachAtOnce(CONCURRENCY, results, async (row) => {
      if (mayExecute(ctx, TEST_STATEMENTS * CONCURRENCY)) await test(ctx, row, lease);
    });
  } catch (error) {
    ctx.log("mta-sts.failed", { error: String(error) });
  }
}

async function test(ctx: Ctx, row: DueRow, lease: number): Promise<void> {
  try {
    const blocker = blockerOf({ ...row, now: ctx.now(), ...(await countReports(ctx, row)), ...readDomain(row) });
    const dueAt = blocker === "time" ? row.since + TEST_MS : ctx.now() + RETEST_MS;
    const wait = save(ctx, { name: row.name, lease, blocker, dueAt });
    await guardedBatch(ctx.db, blocker === null ? enforceStatements(ctx, row, lease) : [wait]);
  } catch (error) {
    if (error instanceof ConcurrencyError) return;
    ctx.log("mta-sts.failed", { domain: row.domainId, error: String(error) });
  }
}

async function countReports(ctx: Ctx, { workspace, shard, domainId }: DueRow) {
  const today = dayOf(ctx.now());
  const days = Array.from({ length: TEST_DAYS }, (_, n) => today - n);
  type Counts = { reports: number; failures: number };
  const counted = await onShard(ctx, shard).mail.findRow<Counts>(COUNT, JSON.stringify(days), workspace, domainId);
  return counted ?? { reports: 0, failures: 0 };
}

/** Records that a policy needs. */
const NEEDED = ["mx", "mta_sts", "mta_sts_id", "tls_reports"];

function readDomain({ records, health, status }: DueRow): { isPublished: boolean; findings: string[] } {
  const statuses = JSON.parse(records) as Record<string, string>;
  const findings = JSON.parse(health ?? "[]") as { code: string; endedAt?: number }[];
  return {
    isPublished: status === "active" && NEEDED.every((key) => statuses[key] === "verified"),
    findings: findings.filter(({ endedAt }) => endedAt === undefined).map(({ code }) => code),
  };
}

function enforceStatements(ctx: Ctx, row: DueRow, lease: number) {
  const host: Pick<HostRow, "name" | "policyMode" | "policyIsHeld" | "policyKeptUntil"> = {
    name: row.name,
    policyMode: row.mode,
    policyIsHeld: row.isHeld,
    policyKeptUntil: row.keptUntil,
  };
  const domain = { id: row.domainId, name: row.domain, workspace: row.workspace };
  return [
    // Fails when another run or request has changed the policy since it was claimed.
    save(ctx, { name: row.name, lease, dueAt: null, blocker: null }),
    expectChanges(ctx.db, 1),
    ...ownPolicyStatements(ctx, domain, { hosts: [host], event: "passed" }),
  ];
}

const save = (
  { db }: Ctx,
  { name, lease, dueAt, blocker }: { name: string; lease: number; dueAt: number | null; blocker: PolicyBlocker | null },
) => db.prepare(SAVE).bind(name, lease, dueAt, blocker);
