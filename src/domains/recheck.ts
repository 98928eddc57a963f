import { and, eq, lte, sql } from "drizzle-orm";
import type { Ctx } from "../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../db/batch.ts";
import { domains } from "../db/schema/index.ts";
import { type Notice, notifyOwnersStatement } from "../notifications/index.ts";
import { checkDns, type DnsCheck } from "./check-dns.ts";
import { type DomainRow, type DomainWithKeys, selectWithKeys } from "./queries.ts";
import { MAX_FAILED_CHECKS, RECHECK_MS, RETIRED_KEY_MS, RETRY_CHECK_MS } from "./rules.ts";
import { keyStatements } from "./save-dns-check.ts";

/** Domains one run looks up: a bounded step of a job that comes again each hour. */
const DOMAINS = 200;
/** Looks under way at once; each is up to nine questions, and an invocation has six connections. */
const AT_ONCE = 4;

/**
 * Looks verified domains up again, each once a day (decisions 5). On the third day in a row without its required
 * records a domain becomes `failed` and the owners are told. A day without an answer from DNS is no such day.
 * Also takes away DKIM keys whose mail is through. Two runs at once count a day once: a row moves only from the
 * `next_check_at` it was read with.
 */
export async function recheckDomains(ctx: Ctx): Promise<void> {
  await ctx.db
    .prepare("DELETE FROM dkim_keys WHERE id IN (SELECT id FROM dkim_keys WHERE retired_at < ?1 LIMIT 1000)")
    .bind(ctx.now() - RETIRED_KEY_MS)
    .run();
  const due = await findDue(ctx);
  const next = due.values();
  const worker = async () => {
    for (const found of next) await recheck(ctx, found);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function findDue(ctx: Ctx): Promise<DomainWithKeys[]> {
  const due = and(eq(domains.status, sql.raw("'verified'")), lte(domains.nextCheckAt, ctx.now()));
  return selectWithKeys(ctx, due, { page: 0, limit: DOMAINS, by: domains.nextCheckAt });
}

/** Never throws: a domain that cannot be checked would be the first of every run, and keep the others from theirs. */
async function recheck(ctx: Ctx, found: DomainWithKeys): Promise<void> {
  const look = await checkDns(ctx, found);
  try {
    await guardedBatch(ctx.db, statements(ctx, found.domain, look));
  } catch (error) {
    // Lost: somebody else has a hand in it. The next run sees what is there then.
    if (!(error instanceof ConcurrencyError))
      ctx.log("domain.recheck.failed", { domain: found.domain.id, error: String(error) });
  }
}

const MOVE = `
  UPDATE domains SET records = ?3, last_checked_at = ?4, next_check_at = ?5, failed_checks = ?6, status = ?7
   WHERE id = ?1 AND next_check_at = ?2 AND status = 'verified'`;

function statements(ctx: Ctx, domain: DomainRow, look: DnsCheck): D1PreparedStatement[] {
  const { db } = ctx;
  const now = ctx.now();
  if (look.verdict === "unknown") {
    const later = db.prepare("UPDATE domains SET next_check_at = ?3 WHERE id = ?1 AND next_check_at = ?2");
    return [later.bind(domain.id, domain.nextCheckAt, now + RETRY_CHECK_MS)];
  }
  const failedChecks = look.verdict === "holds" ? 0 : domain.failedChecks + 1;
  const failed = failedChecks >= MAX_FAILED_CHECKS;
  const move = db
    .prepare(MOVE)
    .bind(
      ...[domain.id, domain.nextCheckAt, JSON.stringify(look.statuses), now, now + RECHECK_MS],
      ...[failedChecks, failed ? "failed" : "verified"],
    );
  return [
    move,
    expectChanges(db, 1),
    ...(look.verdict === "holds" ? keyStatements(ctx, look, now) : []),
    ...(failed ? [notifyOwnersStatement(ctx, domain.workspace, lost(domain))] : []),
  ];
}

const lost = (domain: DomainRow): Notice => ({
  category: "alerts",
  severity: "error",
  title: `${domain.name} can no longer send`,
  body: `Its DNS records were not as they should be for ${MAX_FAILED_CHECKS} days. Restore them and verify the domain again.`,
  href: `/domains/${domain.id}`,
});
