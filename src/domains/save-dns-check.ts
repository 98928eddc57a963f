import type { Ctx } from "../context.ts";
import { expectChanges } from "../db/batch.ts";
import type { DnsCheck } from "./check-dns.ts";
import type { DomainRow } from "./queries.ts";
import { ancestors, RECHECK_MS } from "./rules.ts";

// A name belongs to one workspace with all that is above and below it: whoever signs for mail.example.com passes
// DMARC for example.com (relaxed alignment, RFC 7489 3.1), and the reverse. '/' is what follows '.'.
const HOLDERS = `
  SELECT 1 FROM domains o WHERE o.status = 'verified' AND o.workspace <> ?1
     AND (o.reversed_name IN (SELECT value FROM json_each(?2)) OR (o.reversed_name >= ?3 AND o.reversed_name < ?4))`;

const VERIFY = `
  UPDATE domains SET status = 'verified', verified_at = CASE WHEN status = 'verified' THEN verified_at ELSE ?6 END,
    records = ?7, last_checked_at = ?6, next_check_at = ?8, failed_checks = 0
   WHERE id = ?5 AND workspace = ?1 AND NOT EXISTS (${HOLDERS})`;

const NOTE = "UPDATE domains SET records = ?3, last_checked_at = ?4 WHERE id = ?1 AND workspace = ?2";

const ACTIVATE = `
  UPDATE dkim_keys SET activated_at = ?2
   WHERE id IN (SELECT value FROM json_each(?1)) AND activated_at IS NULL AND retired_at IS NULL`;

const RETIRE = `
  UPDATE dkim_keys SET retired_at = ?2
   WHERE id IN (SELECT value FROM json_each(?1)) AND activated_at IS NOT NULL AND retired_at IS NULL`;

/**
 * Statements that write a look down: one guarded batch, LostRace when the domain is gone, its keys were changed
 * meanwhile, or another workspace holds the name or one above or below it.
 */
export function saveDnsCheck(ctx: Ctx, domain: DomainRow, look: DnsCheck): D1PreparedStatement[] {
  const { db } = ctx;
  const now = ctx.now();
  const statuses = JSON.stringify(look.statuses);
  if (look.verdict !== "holds") {
    return [db.prepare(NOTE).bind(domain.id, domain.workspace, statuses, now), expectChanges(db, 1)];
  }
  const verify = db.prepare(VERIFY).bind(...placeOf(domain), domain.id, now, statuses, now + RECHECK_MS);
  return [verify, expectChanges(db, 1), ...keyStatements(ctx, look, now)];
}

/** Whether another workspace holds the name, or one above or below it. */
export async function isTaken({ db }: Ctx, domain: DomainRow): Promise<boolean> {
  const holder = await db
    .prepare(HOLDERS)
    .bind(...placeOf(domain))
    .first();
  return holder !== null;
}

function placeOf({ workspace, reversedName }: DomainRow): [number, string, string, string] {
  return [workspace, JSON.stringify(ancestors(reversedName)), reversedName, reversedName.replace(/\.$/, "/")];
}

/** The waiting keys begin to sign, all or none, and those whose place they take stop. */
export function keyStatements({ db }: Ctx, { activate, retire }: DnsCheck, now: number): D1PreparedStatement[] {
  if (activate.length === 0) return [];
  const begin = db.prepare(ACTIVATE).bind(JSON.stringify(activate), now);
  const end = db.prepare(RETIRE).bind(JSON.stringify(retire), now);
  return [begin, expectChanges(db, activate.length), end, expectChanges(db, retire.length)];
}
