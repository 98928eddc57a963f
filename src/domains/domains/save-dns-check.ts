import type { Ctx, MainStatement } from "../../platform/context.ts";
import { expectChanges } from "../../platform/db/batch.ts";
import { removeRecordsStatement } from "../zones/index.ts";
import type { DnsCheck } from "./check-dns.ts";
import type { DomainRow } from "./queries.ts";
import { ROTATION_MS } from "./rotation-rules.ts";
import { ancestors, RECHECK_MS, reversedRange } from "./rules.ts";

// Selects verified domains of other workspaces that are equal to, above or below the name. They exclude each other
// because a signature of mail.example.com passes DMARC for example.com, and the reverse (relaxed alignment, RFC 9989
// 3.1). Names below begin with `reversed_name`. Test domains of the service are below a domain of its operator.
const CONFLICTS = `
  SELECT 1 FROM domains o WHERE o.status = 'verified' AND o.workspace <> ?1 AND NOT o.is_sandbox
     AND (o.reversed_name IN (SELECT value FROM json_each(?2)) OR (o.reversed_name >= ?3 AND o.reversed_name < ?4))`;

const VERIFY = `
  UPDATE domains SET status = 'verified', verified_at = CASE WHEN status = 'verified' THEN verified_at ELSE ?6 END,
    records = ?7, found = ?9, last_checked_at = ?6, next_check_at = ?8, failed_checks = 0
   WHERE id = ?5 AND workspace = ?1 AND NOT EXISTS (${CONFLICTS})`;

const SAVE_STATUSES =
  "UPDATE domains SET records = ?3, last_checked_at = ?4, found = ?5 WHERE id = ?1 AND workspace = ?2";

const ACTIVATE = `
  UPDATE dkim_keys SET activated_at = ?2
   WHERE id IN (SELECT value FROM json_each(?1)) AND activated_at IS NULL AND retired_at IS NULL`;

const RETIRE = `
  UPDATE dkim_keys SET retired_at = ?2
   WHERE id IN (SELECT value FROM json_each(?1)) AND activated_at IS NOT NULL AND retired_at IS NULL`;

/**
 * Returns the statements that save a DNS check, for one guarded batch. The batch throws ConcurrencyError when the
 * domain was deleted, its keys were changed, or another workspace has verified the name or one above or below it.
 */
export function saveDnsCheck(ctx: Ctx, domain: DomainRow, check: DnsCheck): MainStatement[] {
  const { db } = ctx;
  const now = ctx.now();
  const statuses = JSON.stringify(check.statuses);
  const found = JSON.stringify(check.found);
  if (check.verdict !== "pass") {
    return [db.prepare(SAVE_STATUSES).bind(domain.id, domain.workspace, statuses, now, found), expectChanges(db, 1)];
  }
  const verify = db
    .prepare(VERIFY)
    .bind(...conflictParameters(domain), domain.id, now, statuses, now + RECHECK_MS, found);
  return [verify, expectChanges(db, 1), ...dkimKeyStatements(ctx, domain, check)];
}

/** Returns whether another workspace has verified the name, or one above or below it. */
export async function hasConflict({ db }: Ctx, domain: DomainRow): Promise<boolean> {
  return (await db.findRow(CONFLICTS, ...conflictParameters(domain))) !== null;
}

function conflictParameters({ workspace, reversedName }: DomainRow): [number, string, string, string] {
  return [workspace, JSON.stringify(ancestors(reversedName)), ...reversedRange(reversedName)];
}

// The set-up that the check was made for: it decides which keys sign.
const BEGIN_ROTATION = "UPDATE domains SET next_rotation_at = ?3 WHERE id = ?1 AND setup = ?2";
const DELETE_UNUSED = "DELETE FROM dkim_keys WHERE domain_id = ?1 AND slot IS NOT NULL AND activated_at IS NULL";

/**
 * Returns the statements that activate the pending keys, all or none, and retire the keys they replace. From then on the keys of a
 * delegated domain rotate; a domain that is no longer delegated leaves its zone.
 */
export function dkimKeyStatements(
  ctx: Ctx,
  { id, setup, zone }: DomainRow,
  { activate, retire }: DnsCheck,
): MainStatement[] {
  if (activate.length === 0) return [];
  const { db } = ctx;
  const now = ctx.now();
  const activation = db.prepare(ACTIVATE).bind(JSON.stringify(activate), now);
  const retirement = db.prepare(RETIRE).bind(JSON.stringify(retire), now);
  const rotation = db.prepare(BEGIN_ROTATION).bind(id, setup, setup === "delegated" ? now + ROTATION_MS : null);
  return [
    ...[activation, expectChanges(db, activate.length), retirement, expectChanges(db, retire.length)],
    ...[rotation, expectChanges(db, 1)],
    ...(setup === "manual" && zone !== null
      ? [db.prepare(DELETE_UNUSED).bind(id), removeRecordsStatement(ctx, id)]
      : []),
  ];
}
