import { crc32 } from "node:zlib";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { CLAIM_MS } from "./rules.ts";
import { sharedTarget } from "./targets.ts";

/**
 * The record `_mta-sts` that all delegated domains share has one id (RFC 8461 3.1), which changes with the policy of any of them: senders
 * then fetch theirs again, as they do once a day anyway. It is a checksum of the MX host, which all policies name, and a time.
 */
const prefixOf = (mxHost: string) => `v=STSv1; id=${crc32(mxHost).toString(16).padStart(8, "0")}`;

// As in records-of-domain.ts: the claim of a run that may still write the value before ends first.
const RESET = `written_at = NULL, confirmed_at = NULL, attempts = 0, due_at = max(?4, min(ifnull(due_at, 0), ?4 + ${CLAIM_MS}))`;

// The time stays while the MX host does.
const PUT = `
  INSERT INTO zone_records (name, type, zone, value, due_at) VALUES (?1, 'TXT', ?2, ?3 || ?5, ?4)
  ON CONFLICT DO UPDATE SET value = excluded.value, is_removed = 0, remove_at = NULL, ${RESET}
   WHERE substr(value, 1, length(?3)) <> ?3 OR is_removed = 1`;

// For the batch that changes the policy of a domain, after the statement that may change it.
const BUMP = `
  UPDATE zone_records SET value = ?2 || ?3, ${RESET}
   WHERE name = ?1 AND type = 'TXT' AND changes() > 0
     AND (?5 IS NULL OR EXISTS (SELECT 1 FROM domains WHERE id = ?5 AND setup = 'delegated'))`;

/** Returns a time as the last part of an id: up to nine letters and digits. */
const timeText = (at: number) => at.toString(36);

/** Returns the statements that order the shared record of policies: one, or none without zones. */
export function policyIdStatements({ db, now, settings }: Pick<Ctx, "db" | "now" | "settings">): MainStatement[] {
  const zone = settings.delegatedZones[0]?.name;
  if (zone === undefined || settings.hostnames === null) return [];
  const own = [sharedTarget("_mta-sts", zone), zone, prefixOf(settings.mxHost), now(), timeText(now())] as const;
  return [db.prepare(PUT).bind(...own)];
}

/**
 * Returns the statement that changes the shared id when the statement before it has changed the policy of a delegated domain, or of
 * one that is gone (null). The job of each minute publishes the last of several changes.
 */
export function bumpPolicyIdStatement(
  { db, now, settings }: Pick<Ctx, "db" | "now" | "settings">,
  domainId: string | null,
): MainStatement {
  const target = sharedTarget("_mta-sts", settings.delegatedZones[0]?.name ?? "");
  return db.prepare(BUMP).bind(target, prefixOf(settings.mxHost), timeText(now()), now(), domainId);
}
