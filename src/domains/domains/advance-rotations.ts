import { lte } from "drizzle-orm";
import { forEachAtOnce } from "../../lib/at-once.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import { domains } from "../../platform/db/schema/main/index.ts";
import { resolve } from "../../platform/dns/resolve.ts";
import { replaceKeyStatement } from "../zones/index.ts";
import { delegationOf } from "./delegated-records.ts";
import { generateSlotKey, insertKeysStatement, type SlotKey, toSlotRecord } from "./dkim-keys.ts";
import { evaluateRecord, type RecordResult } from "./evaluate-record.ts";
import { type DkimKeyRow, type DomainRow, type DomainWithKeys, selectWithKeys } from "./queries.ts";
import { expectedRecords } from "./records.ts";
import { LAST_KEY_MS, nextStep, ROTATION_MS } from "./rotation-rules.ts";
import { RECHECK_MS, RETRY_CHECK_MS } from "./rules.ts";

/** Domains of one run: one DNS query or one new key each, at most. With a run each minute, 28,800 steps a day. */
const DOMAINS_PER_RUN = 20;
const CONCURRENCY = 4;
/** D1 statements of one step. */
const STEP_STATEMENTS = 8;

/**
 * Takes the next step of each rotation of DKIM keys that is due (rotation-rules.ts). A key signs only after DNS has shown its record at
 * the customer's own name. Each step is one transaction that matches `next_rotation_at` as it was read, so runs at the same time, and
 * a run after one that was killed, take it once. Never throws for one domain.
 */
export async function advanceRotations(ctx: Ctx): Promise<void> {
  const range = { offset: 0, limit: DOMAINS_PER_RUN, orderBy: domains.nextRotationAt };
  const due = await selectWithKeys(ctx, lte(domains.nextRotationAt, ctx.now()), range);
  await forEachAtOnce(CONCURRENCY, due, async (found) => {
    if (mayExecute(ctx, STEP_STATEMENTS * CONCURRENCY)) await advance(ctx, found);
  });
}

async function advance(ctx: Ctx, found: DomainWithKeys): Promise<void> {
  const { domain } = found;
  try {
    await guardedBatch(ctx.db, await stepStatements(ctx, found));
  } catch (error) {
    if (!(error instanceof ConcurrencyError))
      ctx.log("domain.rotation.failed", { domain: domain.id, error: String(error) });
    // Otherwise it would come first in each run, before the others.
    await setNext(ctx, domain, ctx.now() + RETRY_CHECK_MS).run();
  }
}

async function stepStatements(ctx: Ctx, { domain, keys }: DomainWithKeys): Promise<MainStatement[]> {
  const now = ctx.now();
  const step = nextStep(slotKeysOf(keys), now);
  if (step.kind === "none") return [setNext(ctx, domain, null)];
  if (step.kind === "wait") return [setNext(ctx, domain, step.until)];
  if (step.kind === "replace") return replaceStatements(ctx, domain, step);
  const result = await checkKey(ctx, { domain, keys }, step.to);
  if (result === "verified") return switchStatements(ctx, domain, step);
  ctx.log("domain.rotation.waiting", { domain: domain.id, selector: step.to.selector, result });
  return [setNext(ctx, domain, now + (result === "temperror" ? RETRY_CHECK_MS : RECHECK_MS))];
}

/** Returns the keys of a domain that have a slot. */
export const slotKeysOf = (keys: readonly DkimKeyRow[]): SlotKey[] =>
  keys.flatMap((key) => (key.slot === 1 || key.slot === 2 ? [{ ...key, slot: key.slot }] : []));

/** Returns what DNS has at the customer's name of a key. One DNS query. */
export async function checkKey(
  ctx: Ctx,
  { domain, keys }: Pick<DomainWithKeys, "domain" | "keys">,
  { selector }: SlotKey,
): Promise<RecordResult> {
  const record = expectedRecords(ctx.settings, domain, keys).find(({ key }) => key === `dkim:${selector}`);
  return record ? evaluateRecord(record, await resolve(ctx, record.name, "TXT")) : "missing";
}

const SET_NEXT = "UPDATE domains SET next_rotation_at = ?3 WHERE id = ?1 AND next_rotation_at IS ?2";

function setNext({ db }: Ctx, { id, nextRotationAt }: DomainRow, at: number | null): MainStatement {
  return db.prepare(SET_NEXT).bind(id, nextRotationAt, at);
}

const ACTIVATE = `
  UPDATE dkim_keys SET activated_at = ?2 WHERE id = ?1 AND activated_at IS NULL AND retired_at IS NULL AND published_at IS NOT NULL`;
const RETIRE = "UPDATE dkim_keys SET retired_at = ?2 WHERE id = ?1 AND activated_at IS NOT NULL AND retired_at IS NULL";

/** Returns the statements after which the other key signs. */
export function switchStatements(
  ctx: Ctx,
  domain: DomainRow,
  { from, to }: { from: SlotKey; to: SlotKey },
): MainStatement[] {
  const { db } = ctx;
  const now = ctx.now();
  return [
    ...[setNext(ctx, domain, now + LAST_KEY_MS), expectChanges(db, 1)],
    ...[db.prepare(ACTIVATE).bind(to.id, now), expectChanges(db, 1)],
    ...[db.prepare(RETIRE).bind(from.id, now), expectChanges(db, 1)],
  ];
}

const DELETE_RETIRED = "DELETE FROM dkim_keys WHERE id = ?1 AND retired_at <= ?2";
// A record that is still being published is not changed: two values would be on their way.
const EXPECT_SETTLED = `
  UPDATE domains SET name = name WHERE id = ?1
     AND NOT EXISTS (SELECT 1 FROM zone_records WHERE domain_id = ?1 AND due_at IS NOT NULL)`;

async function replaceStatements(
  ctx: Ctx,
  domain: DomainRow,
  { retired, active }: { retired: SlotKey; active: SlotKey },
): Promise<MainStatement[]> {
  const delegation = delegationOf(domain);
  if (!delegation) return [setNext(ctx, domain, null)];
  const { db } = ctx;
  const key = await generateSlotKey(ctx, domain.id, delegation, retired.slot);
  return [
    ...[setNext(ctx, domain, (active.activatedAt ?? ctx.now()) + ROTATION_MS), expectChanges(db, 1)],
    ...[db.prepare(EXPECT_SETTLED).bind(domain.id), expectChanges(db, 1)],
    ...[db.prepare(DELETE_RETIRED).bind(retired.id, ctx.now() - LAST_KEY_MS), expectChanges(db, 1)],
    insertKeysStatement(ctx, [key]),
    replaceKeyStatement(ctx, domain.id, delegation, toSlotRecord(key)),
  ];
}
