import { DAY_MS } from "../../lib/time.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { KEEP_STRONGER_REASON } from "./suppress.ts";

/** A second failure counts from a day on: a broken resolver or an expired registration is usually repaired by then. */
const REPEAT_AFTER_MS = DAY_MS;
/** A failure counts for 90 days, so that monthly and quarterly mail to a domain that no longer exists is suppressed. */
export const DOMAIN_FAILURE_DAYS = 90;

const SUPPRESS_REPEATED = `
  INSERT INTO suppressions (workspace, email, reason, created_at, email_id)
  SELECT f.workspace, f.email, 'bounce', ?2, j.value->>'emailId' FROM json_each(?1) j
    CROSS JOIN domain_failures f ON f.workspace = j.value->>'workspace' AND f.email = j.value->>'email'
   WHERE f.first_at BETWEEN ?3 AND ?4
  ${KEEP_STRONGER_REASON}`;

// A suppression sets first_at to now, so that an address removed from the list is not suppressed by the next report.
const RECORD = `
  INSERT INTO domain_failures (workspace, email, first_at)
  SELECT value->>'workspace', value->>'email', ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET first_at = excluded.first_at WHERE domain_failures.first_at <= ?3`;

const CLEAR = `
  DELETE FROM domain_failures WHERE (workspace, email) IN
    (SELECT value->>'workspace', value->>'email' FROM json_each(?1))`;

/** A recipient. `email` is in canonical form; `workspace` is the number of the workspace. */
export interface WorkspaceAddress {
  workspace: number;
  email: string;
}

/** A recipient whose domain failed, and the email that was sent to it. */
export interface FailedAddress extends WorkspaceAddress {
  emailId: string;
}

/**
 * Returns the statements that record failures of recipients' whole domains and suppress the addresses for which this is
 * the second failure, a day or more after the first. They run before the batch of the outcome that causes them.
 */
export function domainFailureStatements(ctx: Ctx, failed: readonly FailedAddress[]): MainStatement[] {
  if (failed.length === 0) return [];
  const now = ctx.now();
  const json = JSON.stringify(failed);
  const latest = now - REPEAT_AFTER_MS;
  return [
    ctx.db.prepare(SUPPRESS_REPEATED).bind(json, now, now - DOMAIN_FAILURE_DAYS * DAY_MS, latest),
    ctx.db.prepare(RECORD).bind(json, now, latest),
  ];
}

/** Returns the statement that deletes the failures of addresses that a DSN confirmed as delivered. */
export function clearDomainFailuresStatements(ctx: Ctx, delivered: readonly WorkspaceAddress[]): MainStatement[] {
  return delivered.length === 0 ? [] : [ctx.db.prepare(CLEAR).bind(JSON.stringify(delivered))];
}

/** Effect of a bounce on the suppression list: `domain-failure` suppresses at the second time only. */
export type BounceSuppression = { suppress?: "bounce" | "domain-failure" };

/** Returns the effect of a failure of a class (`address`, `domain`, `other`) on the suppression list. */
export function suppressionFor(failure: "address" | "domain" | "other"): BounceSuppression {
  if (failure === "other") return {};
  return { suppress: failure === "address" ? "bounce" : "domain-failure" };
}
