import type { Ctx, MailCtx } from "../../platform/context.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import { storedKey } from "../../platform/db/r2-keys.ts";
import { onShard } from "../../platform/jobs/shards.ts";
import { blankExcept } from "../../sending/emails/index.ts";

/** A pack in R2, the ids between which its emails are, and the mail database in which they are. */
export interface KnownPack {
  key: string;
  bytes: number;
  workspace: number;
  firstId: string;
  lastId: string;
  shard: number;
}

/** Packs of one statement, of up to 250 emails each. */
const PACKS_PER_STATEMENT = 20;
/** Emails of one statement about one pack. A pack of three days may have many others between its first and its last. */
const EMAILS_PER_PAGE = 1_000;

const IS_NAMED = "content_key IN (j.value->>'key', j.value->>'storedKey')";

const SUM = `
  SELECT j.value->>'key' AS key, (
    SELECT CASE WHEN count(*) <= ${EMAILS_PER_PAGE} THEN coalesce(sum(size), 0) END
      FROM (SELECT CASE WHEN ${IS_NAMED} THEN content_size END AS size FROM emails
             WHERE workspace = j.value->>'workspace' AND id BETWEEN j.value->>'firstId' AND j.value->>'lastId'
             ORDER BY id LIMIT ${EMAILS_PER_PAGE + 1})) AS bytes
    FROM json_each(?1) j`;

const FIND_PLACES = `
  SELECT e.id, e.content_offset AS offset, e.content_size AS size, ${IS_NAMED} AS isNamed
    FROM json_each(?1) j CROSS JOIN emails e ON e.workspace = j.value->>'workspace' AND e.id <= j.value->>'lastId'
   WHERE e.id > ?2 ORDER BY e.id LIMIT ${EMAILS_PER_PAGE}`;

/**
 * Compares packs with the rows of their emails, and replaces by spaces what no row names: a crash after a place was refused, because a
 * person was erased meanwhile, leaves a copy of their content. Throws when a mail database fails. Yields after each statement or pack.
 */
export async function* comparePacks(ctx: Ctx, packs: readonly KnownPack[]): AsyncGenerator<void, void> {
  for (let at = 0; at < packs.length; at += PACKS_PER_STATEMENT) {
    const group = packs.slice(at, at + PACKS_PER_STATEMENT);
    const sums = await sumNamed(ctx, group);
    yield;
    for (const pack of group) if (sums.get(pack.key) !== pack.bytes) yield* compareWithPlaces(ctx, pack);
  }
}

/** Returns the bytes that emails name, by the key of their pack. NaN: there are too many emails to sum them at once. */
async function sumNamed(ctx: Ctx, packs: readonly KnownPack[]): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const [shard, here] of Map.groupBy(packs, ({ shard }) => shard)) {
    const packs = JSON.stringify(here.map(toParameter));
    const results = await onShard(ctx, shard).mail.listRows<{ key: string; bytes: number | null }>(SUM, packs);
    for (const { key, bytes } of results) sums.set(key, bytes ?? Number.NaN);
  }
  return sums;
}

const toParameter = ({ key, workspace, firstId, lastId }: KnownPack) => ({
  key,
  storedKey: storedKey(key),
  workspace,
  firstId,
  lastId,
});

async function* compareWithPlaces(ctx: Ctx, pack: KnownPack): AsyncGenerator<void, void> {
  const named: Place[] = [];
  yield* findPlaces(onShard(ctx, pack.shard), pack, named);
  if (named.reduce((sum, { size }) => sum + size, 0) === pack.bytes) return;
  try {
    await blankExcept(ctx, pack.key, named);
  } catch (error) {
    // An erasure rewrites it: the next round finds it as new.
    if (!(error instanceof ConcurrencyError)) throw error;
  }
  ctx.log("retention.pack_without_rows", { key: pack.key, named: named.length });
  yield;
}

interface Place {
  offset: number;
  size: number;
}

async function* findPlaces(ctx: MailCtx, pack: KnownPack, named: Place[]): AsyncGenerator<void, void> {
  const parameter = JSON.stringify([toParameter(pack)]);
  // No id is this text, and it sorts before the first.
  for (let after = pack.firstId.slice(0, -1); ; ) {
    const results = await ctx.mail.listRows<Place & { id: string; isNamed: 0 | 1 }>(FIND_PLACES, parameter, after);
    named.push(...results.filter(({ isNamed }) => isNamed === 1));
    const last = results.at(-1);
    if (!last || results.length < EMAILS_PER_PAGE) return;
    after = last.id;
    yield;
  }
}
