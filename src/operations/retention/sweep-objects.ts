import { isUuid, timeOfId } from "../../lib/ids.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { orm } from "../../platform/db/client.ts";
import { packedRange, r2Keys, storedKey, testIdOf } from "../../platform/db/r2-keys.ts";
import { objectSweep } from "../../platform/db/schema/main/index.ts";
import { findShards, onShard } from "../../platform/jobs/shards.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { comparePacks } from "./compare-packs.ts";
import { MAX_REQUEST_MS, OBJECTS_PER_PAGE, SWEEP_MIN_AGE_MS, SWEEP_PAGES } from "./rules.ts";
import { sweepMailboxObjects } from "./sweep-mailbox-objects.ts";
import { sweepTemplateObjects } from "./sweep-template-objects.ts";

/** An object of one or several emails, and the ids between which the emails that may name it are. */
interface Candidate {
  key: string;
  bytes: number;
  /** When it was written, in milliseconds since 1970. */
  at: number;
  workspaceId: string;
  firstId: string;
  lastId: string;
  /** The email whose own object it is: such a row has no key. */
  ownerId: string | null;
}

const FIND_WORKSPACES = "SELECT id, number FROM workspaces WHERE id IN (SELECT value FROM json_each(?1))";

const FIND_NAMED = `
  SELECT j.value->>'key' AS key FROM json_each(?1) j WHERE EXISTS (
    SELECT 1 FROM emails e
     WHERE e.workspace = j.value->>'workspace' AND e.id BETWEEN j.value->>'firstId' AND j.value->>'lastId'
       AND (e.content_key IN (j.value->>'key', j.value->>'storedKey') OR (e.content_key IS NULL AND e.id = j.value->>'ownerId')))`;

/**
 * Where the sweep is: the last key of the round that runs, the workspace of that key with the bytes of its objects up to there, and when
 * that round and the one before began.
 */
type Progress = Omit<typeof objectSweep.$inferSelect, "id">;

const SAVE_PROGRESS = `
  UPDATE object_sweep SET checked_key = ?1, round_at = ?2, previous_round_at = ?3, workspace_id = ?4, bytes = ?5`;
const SAVE_CONTENT = `
  UPDATE workspaces SET stored = json_patch(stored, json_object('content', j.value->>'bytes' / 1000000, 'content_round', ?2))
    FROM json_each(?1) j WHERE workspaces.id = j.value->>'id'`;
// Those that a round has not found have no objects.
const FORGET_CONTENT = `
  UPDATE workspaces SET stored = json_remove(stored, '$.content', '$.content_round') WHERE stored->>'$.content_round' < ?1`;

/**
 * Deletes R2 objects that no email, no template and no message of a mailbox names: a crash between the write of an object and the write of
 * its row leaves one. Removes from packs what no email names, in the first round that finds them old enough. Sums the objects of each
 * workspace, which has a budget of their megabytes.
 * Checks a few pages of keys, in order, and continues there in the next run. Skips objects younger than a day, whose row
 * may still be written, and those of unknown workspaces and of unknown kinds.
 */
export async function* sweepObjects(ctx: Ctx): Steps {
  for (let page = 0; page < SWEEP_PAGES; page++) {
    const progress = await findProgress(ctx);
    const { objects, truncated } = await ctx.env.CONTENT.list({
      limit: OBJECTS_PER_PAGE,
      ...(progress.checkedKey ? { startAfter: progress.checkedKey } : {}),
    });
    const old = objects.filter(({ uploaded }) => uploaded.getTime() < ctx.now() - SWEEP_MIN_AGE_MS);
    const arePacksCompared = yield* sweepPage(ctx, old, progress.previousRoundAt - SWEEP_MIN_AGE_MS);
    const { summed, open } = sumObjects(objects, progress, truncated);
    const checkedKey = truncated ? (objects.at(-1)?.key ?? "") : "";
    const roundAt = arePacksCompared ? progress.roundAt : progress.previousRoundAt;
    const { db } = ctx;
    await db.batch([
      db.prepare(SAVE_CONTENT).bind(JSON.stringify(summed), progress.roundAt),
      ...(truncated ? [] : [db.prepare(FORGET_CONTENT).bind(progress.roundAt)]),
      db.prepare(SAVE_PROGRESS).bind(checkedKey, roundAt, progress.previousRoundAt, open.workspaceId, open.bytes),
    ]);
    yield;
    if (!truncated) return;
  }
}

/** Returns where the sweep is. Without a last key a new round begins. */
async function findProgress(ctx: Ctx): Promise<Progress> {
  const [progress] = await orm(ctx).select().from(objectSweep);
  if (!progress) throw new Error("object_sweep has one row");
  if (progress.checkedKey !== "") return progress;
  return { checkedKey: "", roundAt: ctx.now(), previousRoundAt: progress.roundAt, workspaceId: null, bytes: 0 };
}

/**
 * Returns the bytes of each workspace whose last object is in a page, and of the one that goes on in the next page. The keys of a workspace
 * follow each other.
 */
function sumObjects(objects: readonly R2Object[], { workspaceId, bytes }: Progress, hasMore: boolean) {
  const sums = new Map(workspaceId === null ? [] : [[workspaceId, bytes]]);
  for (const { key, size } of objects) {
    const [, id = ""] = key.startsWith(r2Keys.workspaces) ? key.split("/") : [];
    if (id !== "") sums.set(id, (sums.get(id) ?? 0) + size);
  }
  const summed = [...sums].map(([id, bytes]) => ({ id, bytes }));
  const last = hasMore ? summed.pop() : undefined;
  return { summed, open: { workspaceId: last?.id ?? null, bytes: last?.bytes ?? 0 } };
}

/** Sweeps objects. Compares the packs that were written after `packsAfter`, and returns whether that succeeded. */
async function* sweepPage(ctx: Ctx, objects: readonly R2Object[], packsAfter: number): AsyncGenerator<void, boolean> {
  const keys = objects.map(({ key }) => key);
  await sweepMailboxObjects(ctx, keys);
  await sweepTemplateObjects(ctx, keys);
  const candidates = objects.flatMap((object) => toCandidate(object) ?? []);
  const known = await findWorkspaces(ctx, candidates);
  const unnamed = yield* findUnnamed(ctx, known);
  if (unnamed.size > 0) {
    ctx.log("retention.objects_without_rows", { objects: unnamed.size });
    await ctx.env.CONTENT.delete([...unnamed]);
  }
  const packs = known.filter(({ key, at }) => at > packsAfter && packedRange(key) !== null && !unnamed.has(key));
  try {
    yield* comparePacks(ctx, packs);
    return true;
  } catch (error) {
    ctx.log("retention.packs_not_compared", { error: String(error) });
    return false;
  }
}

/** A candidate of a workspace that exists, with its mail database. */
type KnownCandidate = Omit<Candidate, "workspaceId"> & { workspace: number; shard: number };

async function findWorkspaces(ctx: Ctx, candidates: readonly Candidate[]): Promise<KnownCandidate[]> {
  if (candidates.length === 0) return [];
  const ids = JSON.stringify([...new Set(candidates.map(({ workspaceId }) => workspaceId))]);
  const workspaces = await ctx.db.prepare(FIND_WORKSPACES).bind(ids).all<{ id: string; number: number }>();
  const numbers = new Map(workspaces.results.map(({ id, number }) => [id, number]));
  const shardsOf = await findShards(ctx, numbers.values());
  return candidates.flatMap(({ workspaceId, ...candidate }) => {
    const workspace = numbers.get(workspaceId);
    const shard = workspace === undefined ? undefined : shardsOf.get(workspace);
    return workspace === undefined || shard === undefined ? [] : [{ ...candidate, workspace, shard }];
  });
}

/** Returns the keys that no email names. Those of a mail database that fails count as named until the next time. */
async function* findUnnamed(ctx: Ctx, known: readonly KnownCandidate[]): AsyncGenerator<void, ReadonlySet<string>> {
  const named = new Set<string>();
  for (const [shard, here] of Map.groupBy(known, ({ shard }) => shard)) {
    try {
      for (const key of await findNamed(onShard(ctx, shard), here)) named.add(key);
    } catch (error) {
      ctx.log("shard.failed", { shard, error: String(error) });
      for (const { key } of here) named.add(key);
    }
    yield;
  }
  return new Set(known.map(({ key }) => key).filter((key) => !named.has(key)));
}

/** Returns the keys of objects that an email in this mail database names. */
async function findNamed(ctx: MailCtx, candidates: readonly KnownCandidate[]): Promise<string[]> {
  const rows = candidates.map((candidate) => ({ ...candidate, storedKey: storedKey(candidate.key) }));
  const results = await ctx.mail.listRows<{ key: string }>(FIND_NAMED, JSON.stringify(rows));
  return results.map(({ key }) => key);
}

/** Returns the emails that may name an object, or null when its key has another form. */
function toCandidate({ key, size, uploaded }: R2Object): Candidate | null {
  if (!key.startsWith(r2Keys.workspaces)) return null;
  const [, workspaceId = "", folder, id = ""] = key.split("/");
  const object = { key, bytes: size, at: uploaded.getTime(), workspaceId };
  const range = packedRange(key);
  if (range) return { ...object, ...range, ownerId: null };
  const testId = folder === "broadcasts" ? testIdOf(key) : null;
  if (testId !== null) return { ...object, firstId: testId, lastId: requestEnd(testId), ownerId: null };
  if (!isUuid(id)) return null;
  if (folder === "emails") return { ...object, firstId: id, lastId: id, ownerId: id };
  // The ids of the emails of a batch are generated after its own, by the same request.
  return folder === "batches" ? { ...object, firstId: id, lastId: requestEnd(id), ownerId: null } : null;
}

/** Returns the least UUIDv7 after the end of a request that generated this one. The first 48 bits are milliseconds. */
function requestEnd(id: string): string {
  const time = (timeOfId(id) + MAX_REQUEST_MS).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}
