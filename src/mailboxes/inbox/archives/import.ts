import type { CallerCtx } from "../../../access/caller.ts";
import { AppError, badRequest, bodyError, conflict, unprocessable } from "../../../lib/errors.ts";
import { YieldingSteps } from "../../../lib/yielding-steps.ts";
import { r2Keys } from "../../../platform/db/r2-keys.ts";
import { onMain } from "../../../platform/jobs/shards.ts";
import { type ImportCounts, type NewImport, type StoredImport, saveUsedBytes } from "../../mailbox-store/index.ts";
import { type OpenMailbox, requireUpload } from "../open.ts";
import { BEGINNING, formatOf, readEntries } from "./entries.ts";
import { ImportRun } from "./import-run.ts";
import { archiveStep, importNow } from "./rules.ts";
import { ArchiveSource } from "./source.ts";

/** The `ref` of an outbox row of kind `import`. */
export interface ImportRef {
  mailbox: string;
}

/**
 * Imports an archive of `size` bytes: messages with their folders, flags and labels. Holds a few messages in memory. A repeated
 * import adds nothing. Returns what was imported, or, of an archive beyond `importNow`, the import that continues in the
 * background. Throws 400 for a body that ended early, 409 while too many imports run, 422 for a body that is no archive.
 */
export async function importArchive(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  { body, size, folder }: { body: ReadableStream<Uint8Array>; size: number; folder: string },
): Promise<{ counts: ImportCounts } | { started: StoredImport }> {
  const object = `${r2Keys.mailbox(mailbox.id)}files/${ctx.newId()}`;
  await requireUpload(mailbox, object);
  let isKept = false;
  try {
    await upload(ctx, object, body, size);
    const source = new ArchiveSource(ctx, object, size);
    const format = formatOf(await source.read(0, Math.min(size, 8)));
    if (!format) throw unprocessable([bodyError([], "The body is no ZIP archive and no mbox file")]);
    const steps = new YieldingSteps(archiveStep);
    const id = ctx.newId();
    const run = new ImportRun(ctx, mailbox, steps, { id, step: null, cursor: BEGINNING });
    if (size <= importNow.archiveBytes) {
      const isDone = await run.read(readEntries(source, { format, folder, from: BEGINNING, steps }), importNow);
      await saveUsedBytes(ctx, mailbox, (await mailbox.store.quota()).usedBytes);
      if (isDone) return { counts: run.counts };
    }
    const { cursor, counts } = run;
    const started = await continueLater(ctx, mailbox, { id, object, size, format, folder, cursor, counts });
    isKept = true;
    return { started };
  } finally {
    if (!isKept) await ctx.env.CONTENT.delete(object).catch(() => {});
  }
}

async function upload(ctx: CallerCtx, key: string, body: ReadableStream<Uint8Array>, size: number): Promise<void> {
  // R2 takes streams of known length only.
  const { readable, writable } = new FixedLengthStream(size);
  let isCut = false;
  const copied = body.pipeTo(writable).catch(() => {
    isCut = true;
  });
  const stored = await ctx.env.CONTENT.put(key, readable).catch((error: unknown) => {
    ctx.log("import.not-stored", { key, error: String(error) });
    return null;
  });
  await copied;
  if (isCut) throw badRequest("The request body ended before it was complete");
  if (!stored) throw new AppError(502, "The archive cannot be stored; try again");
}

const INSERT_ROW = "INSERT OR IGNORE INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'import', ?3)";

/**
 * Stores an import with an outbox row that continues it. An import whose row was not written, because the request was ended
 * here, is marked as failed a day later. Throws 409 while too many imports run.
 */
async function continueLater(ctx: CallerCtx, mailbox: OpenMailbox, added: NewImport): Promise<StoredImport> {
  const { id } = added;
  if (!(await mailbox.store.startImport(added)))
    throw conflict("Too many imports into this mailbox run; try again when one has ended");
  const dueAt = ctx.now();
  const ref: ImportRef = { mailbox: mailbox.id };
  try {
    await ctx.db.execute(INSERT_ROW, dueAt, id, JSON.stringify(ref));
  } catch (error) {
    await mailbox.store.endImport(id, "failed", "The import could not be started; import the archive again");
    throw error;
  }
  await onMain(ctx).wake([{ dueAt, id, kind: "import" }]);
  return { ...added, status: "running", step: 0, createdAt: dueAt, updatedAt: dueAt };
}
