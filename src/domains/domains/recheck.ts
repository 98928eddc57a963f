import { and, eq, lte, sql } from "drizzle-orm";
import { forEachAtOnce } from "../../lib/at-once.ts";
import { type Notice, notifyOwnersStatements } from "../../notices/notifications/index.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import { domains } from "../../platform/db/schema/main/index.ts";
import { hostStatements } from "../hosts/index.ts";
import { republishStatement } from "../zones/index.ts";
import { checkDns, type DnsCheck } from "./check-dns.ts";
import { type DomainRow, type DomainWithKeys, findDomainWithKeys, selectWithKeys } from "./queries.ts";
import { MAX_FAILED_CHECKS, RECHECK_MS, RETIRED_KEY_MS, RETRY_CHECK_MS } from "./rules.ts";
import { dkimKeyStatements } from "./save-dns-check.ts";
import { becomes, statusEventStatements } from "./webhook-events.ts";

/** Domains that one run checks. The job runs each hour, so the rest waits for the next run. */
const DOMAINS_PER_RUN = 200;
/** Concurrent DNS checks. Each makes up to 13 requests, and an invocation has six connections (Workers limits). */
const CONCURRENCY = 4;
/** D1 statements that save one check and examine the domain. */
const CHECK_STATEMENTS = 23;

/** Examines a domain after its check; it never throws. */
export type Examine = (ctx: Ctx, found: DomainWithKeys, wasVerified: boolean) => Promise<void>;

/**
 * Checks each verified domain once a day (docs/contract/domains.md#verification). After the third failed check in a row a domain becomes
 * `failed` and its owners are notified. A check without a response from DNS does not count. Also deletes DKIM keys that retired seven days
 * ago. Two concurrent runs count a check once: an update matches the `next_check_at` that was read. `examine` runs after each check.
 */
export async function recheckDomains(ctx: Ctx, examine: Examine = async () => {}): Promise<void> {
  await ctx.db.execute(DELETE_RETIRED, ctx.now() - RETIRED_KEY_MS);
  await forEachAtOnce(CONCURRENCY, await findDue(ctx), async (found) => {
    if (mayExecute(ctx, CHECK_STATEMENTS * CONCURRENCY)) await recheck(ctx, found, examine);
  });
}

// A rotation replaces the keys of a delegated domain.
const DELETE_RETIRED = `
  DELETE FROM dkim_keys WHERE id IN (
    SELECT k.id FROM dkim_keys k JOIN domains d ON d.id = k.domain_id
     WHERE k.retired_at < ?1 AND (k.slot IS NULL OR d.setup = 'manual') LIMIT 1000)`;

function findDue(ctx: Ctx): Promise<DomainWithKeys[]> {
  const due = and(eq(domains.status, sql.raw("'verified'")), lte(domains.nextCheckAt, ctx.now()));
  return selectWithKeys(ctx, due, { offset: 0, limit: DOMAINS_PER_RUN, orderBy: domains.nextCheckAt });
}

/** Checks one domain and saves the result. Never throws: a domain whose check fails would come first in every run and block the others. */
async function recheck(ctx: Ctx, found: DomainWithKeys, examine: Examine): Promise<void> {
  const check = await checkDns(ctx, found);
  try {
    await guardedBatch(ctx.db, saveStatements(ctx, found, check));
  } catch (error) {
    // Lost the compare-and-set to another run or request. The next run reads the row again.
    if (!(error instanceof ConcurrencyError))
      ctx.log("domain.recheck.failed", { domain: found.domain.id, error: String(error) });
    return;
  }
  const changed = check.activate.length > 0 ? await findDomainWithKeys(ctx, found.domain.id) : found;
  if (changed) await examine(ctx, changed, true);
}

const SAVE_CHECK = `
  UPDATE domains SET records = ?3, last_checked_at = ?4, next_check_at = ?5, failed_checks = ?6, status = ?7, found = ?8
   WHERE id = ?1 AND next_check_at = ?2 AND status = 'verified'`;

function saveStatements(ctx: Ctx, { domain, hosts }: DomainWithKeys, check: DnsCheck): MainStatement[] {
  const { db } = ctx;
  const now = ctx.now();
  if (check.verdict === "temperror") {
    const retry = db.prepare("UPDATE domains SET next_check_at = ?3 WHERE id = ?1 AND next_check_at = ?2");
    return [
      retry.bind(domain.id, domain.nextCheckAt, now + RETRY_CHECK_MS),
      // A record that has gone from the zone is published again.
      ...(domain.setup === "delegated" ? [republishStatement(ctx, domain.id)] : []),
    ];
  }
  const failedChecks = check.verdict === "pass" ? 0 : domain.failedChecks + 1;
  const failed = failedChecks >= MAX_FAILED_CHECKS;
  const save = db
    .prepare(SAVE_CHECK)
    .bind(
      ...[domain.id, domain.nextCheckAt, JSON.stringify(check.statuses), now, now + RECHECK_MS],
      ...[failedChecks, failed ? "failed" : "verified", JSON.stringify(check.found)],
    );
  return [
    ...(failed ? statusEventStatements(ctx, "failed", failedNotice(domain).body, becomes(domain, "failed")) : []),
    save,
    expectChanges(db, 1),
    ...(check.verdict === "pass" ? dkimKeyStatements(ctx, domain, check) : []),
    ...hostStatements(ctx, domain, { statuses: check.statuses, hosts, isVerified: !failed }),
    ...(failed ? notifyOwnersStatements(ctx, domain.workspace, failedNotice(domain)) : []),
  ];
}

const failedNotice = (domain: DomainRow): Notice => ({
  category: "alerts",
  severity: "error",
  title: `${domain.name} can no longer send`,
  body: `Its required DNS records were missing or wrong in ${MAX_FAILED_CHECKS} daily checks in a row. Restore them and verify the domain again.`,
  href: `/domains/${domain.id}`,
});
