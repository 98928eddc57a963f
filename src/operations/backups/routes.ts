import * as z from "zod";
import { type AppContext, newRoutes } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { toValidationErrors } from "../../http/validate.ts";
import { notFound, requireFound, tooLarge, unprocessable } from "../../lib/errors.ts";
import { mailboxStore } from "../../mailboxes/mailbox-store/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import { reindexEmails } from "../../sending/emails/index.ts";
import { listObjects } from "./objects.ts";
import { readMailStart, readPage } from "./read-page.ts";
import { repairMail, repairMailbox } from "./repair.ts";
import { beginRestore, finishRestore, requireRestore, saveFile } from "./restores.ts";
import { countHeld, resumeHeld } from "./resume-held.ts";
import { type BackupStore, databaseNames, findStore } from "./stores.ts";
import { describeTables, listMigrations } from "./tables.ts";
import { writeRows } from "./write-rows.ts";

/** Greatest body: a page of rows as JSON. One row of 2 MB can have twice the bytes. */
const MAX_BODY = 8_000_000;

const name = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
const store = z.string().max(60);
const id = z.string().regex(/^[0-9A-Za-z-]{1,60}$/);
const names = z.array(name).max(100);
const value = z.union([z.string(), z.number(), z.null()]);

const StoreIn = z.object({ store });
const PageIn = z.object({
  store,
  table: name,
  columns: names.min(1),
  key: names.min(1),
  after: z.array(z.union([z.string(), z.number()])).nullable(),
  /** `work`: outbox rows that do not name emails. A number: emails, those of broadcasts only up to it. */
  filter: z.union([z.literal("work"), z.int().min(0)]).nullable(),
});
const ReindexIn = z.object({ database: z.int().min(0), restart: z.boolean() });
const StructuresIn = z.object({ mailbox: z.uuid(), dry: z.boolean() });
const ObjectsIn = z.object({ cursor: z.string().max(3000).nullable() });
const RestoreIn = z.object({ id });
const RowsIn = z.object({
  id,
  store,
  table: name,
  columns: names.min(1),
  key: names.min(1),
  isVirtual: z.boolean(),
  rows: z.array(z.array(value).max(100)).max(1_000),
});
const FileIn = z.object({ id, file: z.string().max(200), refused: z.int().min(0) });
const RepairIn = z.object({
  id,
  store,
  start: z.object({
    lastN: z.int().min(0),
    broadcasts: z.array(
      z.object({ n: z.int(), status: z.string(), fan_out: z.string().nullable(), fan_out_step: z.int() }),
    ),
  }),
  cursor: z.object({ step: z.int().min(0), after: z.union([z.string(), z.number()]) }),
});

/** Reads the body. Throws 413 and 422. */
async function read<Schema extends z.ZodType>(c: AppContext, schema: Schema) {
  if (Number(c.req.header("Content-Length") ?? MAX_BODY + 1) > MAX_BODY)
    throw tooLarge(`The body must have a Content-Length of at most ${MAX_BODY} bytes`);
  const body: unknown = await c.req.json().catch(() => null);
  const result = schema.safeParse(body);
  if (result.success) return { ctx: c.get("ctx"), input: result.data };
  throw unprocessable(toValidationErrors("body", result.error.issues, body));
}

/** Returns a database of the deployment. Throws 404. */
function storeOf(ctx: Ctx, name: string): BackupStore {
  return requireFound(findStore(ctx, name), "Database");
}

/** `npm run backup` and `npm run restore`. */
export const backupRoutes = newRoutes()
  .post("/auth/backup/databases", needs("operator:backup"), async (c) => {
    const { ctx } = await read(c, z.object({}));
    return c.json({ names: databaseNames(ctx) });
  })
  .post("/auth/backup/tables", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, StoreIn);
    const source = storeOf(ctx, input.store);
    return c.json({ tables: await describeTables(source), migrations: await listMigrations(source, input.store) });
  })
  .post("/auth/backup/start", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, StoreIn);
    return c.json(await readMailStart(storeOf(ctx, input.store)));
  })
  .post("/auth/backup/rows", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, PageIn);
    return c.json({ rows: await readPage(storeOf(ctx, input.store), input) });
  })
  .post("/auth/backup/objects", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, ObjectsIn);
    return c.json(await listObjects(ctx, input.cursor));
  })
  .get("/auth/backup/object", needs("operator:backup"), async (c) => {
    const object = requireFound(await c.get("ctx").env.CONTENT.get(c.req.query("key") ?? ""), "Object");
    return c.body(object.body, 200, { ETag: object.httpEtag, "Content-Type": "application/octet-stream" });
  })
  .post("/auth/backup/reindex", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, ReindexIn);
    if (!shardNumbers(ctx).includes(input.database)) throw notFound("Database");
    return c.json({ is_done: await reindexEmails(onShard(ctx, input.database), input.restart) });
  })
  .post("/auth/backup/mailbox-structures", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, StructuresIn);
    return c.json({ messages: await mailboxStore(ctx, input.mailbox).forgetGuesses(input.dry) });
  })
  .post("/auth/restore/begin", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, RestoreIn);
    return c.json(await beginRestore(ctx, input.id));
  })
  .post("/auth/restore/rows", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, RowsIn);
    await requireRestore(ctx, input.id);
    return c.json({ refused: await writeRows(storeOf(ctx, input.store), input) });
  })
  .put("/auth/restore/object", needs("operator:backup"), async (c) => {
    const ctx = c.get("ctx");
    await requireRestore(ctx, c.req.query("id") ?? "");
    const metadata = JSON.parse(decodeURIComponent(c.req.header("X-Object-Metadata") ?? "{}")) as R2PutOptions;
    await ctx.env.CONTENT.put(c.req.query("key") ?? "", c.req.raw.body ?? "", metadata);
    return c.json({});
  })
  .post("/auth/restore/repair", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, RepairIn);
    await requireRestore(ctx, input.id);
    const target = storeOf(ctx, input.store);
    if (!input.store.startsWith("mailbox-"))
      return c.json({ next: await repairMail(target, input.start, input.cursor) });
    await repairMailbox(target, ctx.now());
    // Any change sets the alarm, which removes what has been in Trash or Spam for 30 days.
    await mailboxStore(ctx, input.store.slice("mailbox-".length)).removeUnknownObjects([]);
    return c.json({ next: null });
  })
  .post("/auth/restore/file", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, FileIn);
    await requireRestore(ctx, input.id);
    await saveFile(ctx, input.file, input.refused);
    return c.json({});
  })
  .post("/auth/restore/finish", needs("operator:backup"), async (c) => {
    const { ctx, input } = await read(c, RestoreIn);
    await finishRestore(ctx, input.id);
    return c.json({ held: await countHeld(ctx) });
  })
  .post("/auth/restore/release", needs("operator:backup"), async (c) => {
    const { ctx } = await read(c, z.object({}));
    return c.json({ released: await resumeHeld(ctx), held: await countHeld(ctx) });
  });
