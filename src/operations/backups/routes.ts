import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
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

/** Returns a database of the deployment. Throws 404. */
function storeOf(ctx: Ctx, name: string): BackupStore {
  return requireFound(findStore(ctx, name), "Database");
}

/** `npm run backup` and `npm run restore`. */
export const backupRoutes = newRoutes()
  .get("/auth/backup/object", needs("operator:backup"), async (c) => {
    const object = requireFound(await c.get("ctx").env.CONTENT.get(c.req.query("key") ?? ""), "Object");
    return c.body(object.body, 200, { ETag: object.httpEtag, "Content-Type": "application/octet-stream" });
  })
  .put("/auth/restore/object", needs("operator:backup"), async (c) => {
    const ctx = c.get("ctx");
    await requireRestore(ctx, c.req.query("id") ?? "");
    const metadata = JSON.parse(decodeURIComponent(c.req.header("X-Object-Metadata") ?? "{}")) as R2PutOptions;
    await ctx.env.CONTENT.put(c.req.query("key") ?? "", c.req.raw.body ?? "", metadata);
    return c.json({});
  });

/** Adds a call with a JSON body. It throws 413 and 422. */
function call<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  run: (ctx: Ctx, input: z.output<Schema>) => Promise<object>,
): void {
  backupRoutes.post(path, needs("operator:backup"), async (c) => {
    if (Number(c.req.header("Content-Length") ?? MAX_BODY + 1) > MAX_BODY)
      throw tooLarge(`The body must have a Content-Length of at most ${MAX_BODY} bytes`);
    const body: unknown = await c.req.json().catch(() => null);
    const result = schema.safeParse(body);
    if (!result.success) throw unprocessable(toValidationErrors("body", result.error.issues, body));
    return c.json(await run(c.get("ctx"), result.data));
  });
}

call("/auth/backup/databases", z.object({}), async (ctx) => ({ names: databaseNames(ctx) }));
call("/auth/backup/tables", StoreIn, async (ctx, { store }) => {
  const source = storeOf(ctx, store);
  return { tables: await describeTables(source), migrations: await listMigrations(source, store) };
});
call("/auth/backup/start", StoreIn, (ctx, { store }) => readMailStart(storeOf(ctx, store)));
call("/auth/backup/rows", PageIn, async (ctx, page) => ({ rows: await readPage(storeOf(ctx, page.store), page) }));
call("/auth/backup/objects", ObjectsIn, (ctx, { cursor }) => listObjects(ctx, cursor));
call("/auth/backup/reindex", ReindexIn, async (ctx, { database, restart }) => {
  if (!shardNumbers(ctx).includes(database)) throw notFound("Database");
  return { is_done: await reindexEmails(onShard(ctx, database), restart) };
});
call("/auth/backup/mailbox-structures", StructuresIn, async (ctx, { mailbox, dry }) => ({
  messages: await mailboxStore(ctx, mailbox).forgetGuesses(dry),
}));
call("/auth/restore/begin", RestoreIn, (ctx, { id }) => beginRestore(ctx, id));
call("/auth/restore/rows", RowsIn, async (ctx, page) => {
  await requireRestore(ctx, page.id);
  return { refused: await writeRows(storeOf(ctx, page.store), page) };
});
call("/auth/restore/repair", RepairIn, async (ctx, { id, store, start, cursor }) => {
  await requireRestore(ctx, id);
  const target = storeOf(ctx, store);
  if (!store.startsWith("mailbox-")) return { next: await repairMail(target, start, cursor) };
  await repairMailbox(target, ctx.now());
  // Any change sets the alarm, which removes what has been in Trash or Spam for 30 days.
  await mailboxStore(ctx, store.slice("mailbox-".length)).removeUnknownObjects([]);
  return { next: null };
});
call("/auth/restore/file", FileIn, async (ctx, { id, file, refused }) => {
  await requireRestore(ctx, id);
  await saveFile(ctx, file, refused);
  return {};
});
call("/auth/restore/finish", RestoreIn, async (ctx, { id }) => {
  await finishRestore(ctx, id);
  return { held: await countHeld(ctx) };
});
call("/auth/restore/release", z.object({}), async (ctx) => ({
  released: await resumeHeld(ctx),
  held: await countHeld(ctx),
}));
