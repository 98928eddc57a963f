import { forEachAtOnce } from "../../lib/at-once.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { zoneRecords } from "../../platform/db/schema/main/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";
import { resolve } from "../../platform/dns/resolve.ts";
import { cloudflareZone } from "../../platform/dns-zones/cloudflare.ts";
import { deleteRecords, putRecord } from "../../platform/dns-zones/put-record.ts";
import { ZoneError, type ZoneErrorKind } from "../../platform/dns-zones/zones.ts";
import { CLAIM_MS, REMOVAL_MS, retryDelay, TTL_SECONDS } from "./rules.ts";

/** Records of one run: at most 160 calls of the API, so that runs each minute keep within its limit of 1,200 calls in five minutes. */
const RECORDS_PER_RUN = 40;
/** Records at once: an invocation has six connections (Workers limits). */
const CONCURRENCY = 3;

/** After these a zone refuses the other calls of the run too. A full zone still takes updates and deletions. */
const STOPS: ReadonlySet<ZoneErrorKind> = new Set(["refused", "rate", "unknown"]);

type ZoneRecordRow = Omit<StoredRow<typeof zoneRecords>, "domain_id" | "confirmed_at" | "due_at">;

// A claim ends by itself, so a run that is killed loses nothing.
const CLAIM = `
  UPDATE zone_records SET due_at = ?2 WHERE (name, type) IN (
    SELECT name, type FROM zone_records WHERE due_at <= ?1 AND (?3 IS NULL OR domain_id = ?3) ORDER BY due_at LIMIT ?4)
  RETURNING name, type, zone, value, priority, is_proxied, key_id, is_removed, remove_at, written_at, attempts`;

// Each matches the value and the claim that were read: a row that has changed meanwhile stays due.
const IS_OWN = "WHERE name = ?1 AND type = ?2 AND value = ?3 AND is_removed = ?4 AND due_at = ?5";
const SAVE_WRITTEN = `UPDATE zone_records SET written_at = ?6, due_at = ?7, attempts = ?8 ${IS_OWN}`;
const SAVE_CONFIRMED = `UPDATE zone_records SET written_at = ifnull(written_at, ?6), confirmed_at = ?6, due_at = NULL, attempts = 0 ${IS_OWN}`;
const SAVE_PUBLISHED = `
  UPDATE dkim_keys SET published_at = ?2 WHERE id = ?1 AND published_at IS NULL
     AND EXISTS (SELECT 1 FROM zone_records WHERE key_id = ?1 AND confirmed_at IS NOT NULL)`;
const SAVE_FAILED = `UPDATE zone_records SET due_at = ?6, attempts = attempts + 1 ${IS_OWN}`;
const SAVE_REMOVAL = `UPDATE zone_records SET remove_at = ?6, due_at = ?6 ${IS_OWN}`;
const DELETE = `DELETE FROM zone_records ${IS_OWN}`;
const UNCOUNT = "UPDATE zones SET records = max(records - changes(), 0) WHERE name = ?1";
const SAVE_FULL = `
  INSERT INTO zones (name, full_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET full_at = excluded.full_at`;

/**
 * Brings due records of the zones to what the rows say, those of one domain or of all: calls the DNS API, then asks DNS for the
 * value, and only then notes the record as confirmed and its DKIM key as published. Never throws for a failure of the API or of DNS:
 * such a record is due again after a wait. Runs at the same time take different records.
 */
export async function publishRecords(ctx: Ctx, domainId: string | null = null): Promise<void> {
  if (ctx.settings.delegatedZones.length === 0) return;
  const claimedUntil = ctx.now() + CLAIM_MS;
  const results = await ctx.db.listRows<ZoneRecordRow>(CLAIM, ctx.now(), claimedUntil, domainId, RECORDS_PER_RUN);
  const stopped = new Map<string, ZoneError>();
  const statements: MainStatement[] = [];
  await forEachAtOnce(CONCURRENCY, results, async (row) => {
    statements.push(...(await publishOne(ctx, row, { claimedUntil, stopped })));
  });
  if (statements.length > 0) await ctx.db.batch(statements);
}

interface Run {
  claimedUntil: number;
  stopped: Map<string, ZoneError>;
}

/** Publishes or removes one record, and returns the statements that save the result. */
async function publishOne(ctx: Ctx, row: ZoneRecordRow, { claimedUntil, stopped }: Run): Promise<MainStatement[]> {
  const { db } = ctx;
  const own = [row.name, row.type, row.value, row.is_removed, claimedUntil] as const;
  const failed = (waitMs: number) => [db.prepare(SAVE_FAILED).bind(...own, ctx.now() + waitMs)];
  if (row.is_removed === 1 && row.remove_at === null)
    return [db.prepare(SAVE_REMOVAL).bind(...own, ctx.now() + REMOVAL_MS)];
  const known = stopped.get(row.zone);
  if (known) return failed(waitAfter(known, row));
  try {
    await callApi(ctx, row);
  } catch (error) {
    if (!(error instanceof ZoneError)) throw error;
    if (STOPS.has(error.kind)) stopped.set(row.zone, error);
    ctx.log("zone.write.failed", { zone: row.zone, name: row.name, kind: error.kind, error: error.message });
    const full = error.kind === "full" ? [db.prepare(SAVE_FULL).bind(row.zone, ctx.now())] : [];
    return [...failed(waitAfter(error, row)), ...full];
  }
  if (row.is_removed === 1) return [db.prepare(DELETE).bind(...own), db.prepare(UNCOUNT).bind(row.zone)];
  if (await isInDns(ctx, row)) {
    const published = row.key_id === null ? [] : [db.prepare(SAVE_PUBLISHED).bind(row.key_id, ctx.now())];
    return [db.prepare(SAVE_CONFIRMED).bind(...own, ctx.now()), ...published];
  }
  return [db.prepare(SAVE_WRITTEN).bind(...own, ctx.now(), ctx.now() + retryDelay(row.attempts), row.attempts + 1)];
}

async function callApi(ctx: Ctx, row: ZoneRecordRow): Promise<void> {
  const zone = ctx.settings.delegatedZones.find(({ name }) => name === row.zone);
  if (!zone) throw new ZoneError("refused", `DELEGATED_ZONES has no zone ${row.zone}`);
  const port = cloudflareZone(ctx.settings, zone.id);
  if (row.is_removed === 1) return deleteRecords(port, row.name, row.type);
  const { name, type, value, priority, is_proxied: isProxied } = row;
  await putRecord(port, { name, type, value, priority, ttl: TTL_SECONDS, isProxied: isProxied === 1 });
}

/** Returns whether DNS has a record. It is asked for TXT only: the values of proxied names are not those of the record. */
async function isInDns(ctx: Ctx, { name, type, value }: ZoneRecordRow): Promise<boolean> {
  if (type !== "TXT") return true;
  // A wildcard has no name of its own.
  const found = await resolve(ctx, name.replace(/^\*/, "any"), type);
  return found.status === "ok" && found.values.length === 1 && found.values[0] === value;
}

const waitAfter = (error: ZoneError, { attempts }: ZoneRecordRow) =>
  Math.max(error.retryAfterMs ?? 0, retryDelay(attempts));
