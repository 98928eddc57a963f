import { isUuid, timeOfId } from "../../lib/ids.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import { packedRange, r2Keys, storedKey, testIdOf } from "../../platform/db/r2-keys.ts";
import { findShards, onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { MAX_REQUEST_MS, OBJECTS_PER_PAGE, SWEEP_MIN_AGE_MS, SWEEP_PAGES } from "./rules.ts";
import { sweepMailboxObjects } from "./sweep-mailbox-objects.ts";

/** An object of one or several emails, and the ids between which the emails that may name it are. */
interface Candidate {
  key: string;
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
 * Deletes R2 objects that no email and no message of a mailbox names: a crash between the write of an object and the write of its
 * row leaves one.
 * Checks a few pages of keys, in order, and continues there in the next run. Skips objects younger than a day, whose row
 * may still be written, and those of unknown workspaces and of unknown kinds.
 */
export async function* sweepObjects(ctx: Ctx): Steps {
  for (let page = 0; page < SWEEP_PAGES; page++) {
    const startAfter = await ctx.db.prepare("SELECT checked_key FROM object_sweep").first<string>("checked_key");
    const { objects, truncated } = await ctx.env.CONTENT.list({
      limit: OBJECTS_PER_PAGE,
      ...(startAfter ? { startAfter } : {}),
    });
    const old = objects.filter(({ uploaded }) => uploaded.getTime() < ctx.now() - SWEEP_MIN_AGE_MS);
    await sweepMailboxObjects(
      ctx,
      old.map(({ key }) => key),
    );
    const known = await findWorkspaces(
      ctx,
      old.flatMap(({ key }) => toCandidate(key) ?? []),
    );
    const unnamed = yield* findUnnamed(ctx, known);
    if (unnamed.length > 0) {
      ctx.log("retention.objects_without_rows", { objects: unnamed.length });
      await ctx.env.CONTENT.delete(unnamed);
    }
    await ctx.db
      .prepare("UPDATE object_sweep SET checked_key = ?1")
      .bind(truncated ? (objects.at(-1)?.key ?? "") : "")
      .run();
    yield;
    if (!truncated) return;
  }
}

/** A candidate of a workspace that exists, with its mail databases. */
type KnownCandidate = Omit<Candidate, "workspaceId"> & { workspace: number; shards: readonly number[] };

async function findWorkspaces(ctx: Ctx, candidates: readonly Candidate[]): Promise<KnownCandidate[]> {
  if (candidates.length === 0) return [];
  const ids = JSON.stringify([...new Set(candidates.map(({ workspaceId }) => workspaceId))]);
  const workspaces = await ctx.db.prepare(FIND_WORKSPACES).bind(ids).all<{ id: string; number: number }>();
  const numbers = new Map(workspaces.results.map(({ id, number }) => [id, number]));
  const shardsOf = await findShards(ctx, numbers.values());
  return candidates.flatMap(({ workspaceId, ...candidate }) => {
    const workspace = numbers.get(workspaceId);
    return workspace === undefined ? [] : [{ ...candidate, workspace, shards: shardsOf.get(workspace) ?? [] }];
  });
}

/** Returns the keys that no email names. Those of a mail database that fails count as named until the next time. */
async function* findUnnamed(ctx: Ctx, known: readonly KnownCandidate[]): AsyncGenerator<void, string[]> {
  const named = new Set<string>();
  for (const shard of shardNumbers(ctx)) {
    const here = known.filter(({ shards }) => shards.includes(shard));
    if (here.length === 0) continue;
    try {
      for (const key of await findNamed(onShard(ctx, shard), here)) named.add(key);
    } catch (error) {
      ctx.log("shard.failed", { shard, error: String(error) });
      for (const { key } of here) named.add(key);
    }
    yield;
  }
  return known.map(({ key }) => key).filter((key) => !named.has(key));
}

/** Returns the keys of objects that an email in this mail database names. */
async function findNamed(ctx: MailCtx, candidates: readonly KnownCandidate[]): Promise<string[]> {
  const rows = candidates.map((candidate) => ({ ...candidate, storedKey: storedKey(candidate.key) }));
  const { results } = await mailDb(ctx).prepare(FIND_NAMED).bind(JSON.stringify(rows)).all<{ key: string }>();
  return results.map(({ key }) => key);
}

/** Returns the emails that may name an object, or null when its key has another form. */
function toCandidate(key: string): Candidate | null {
  if (!key.startsWith(r2Keys.workspaces)) return null;
  const [, workspaceId = "", folder, id = ""] = key.split("/");
  const range = packedRange(key);
  if (range) return { key, workspaceId, ...range, ownerId: null };
  const testId = folder === "broadcasts" ? testIdOf(key) : null;
  if (testId !== null) return { key, workspaceId, firstId: testId, lastId: requestEnd(testId), ownerId: null };
  if (!isUuid(id)) return null;
  if (folder === "emails") return { key, workspaceId, firstId: id, lastId: id, ownerId: id };
  // The ids of the emails of a batch are generated after its own, by the same request.
  return folder === "batches" ? { key, workspaceId, firstId: id, lastId: requestEnd(id), ownerId: null } : null;
}

/** Returns the least UUIDv7 after the end of a request that generated this one. The first 48 bits are milliseconds. */
function requestEnd(id: string): string {
  const time = (timeOfId(id) + MAX_REQUEST_MS).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}
