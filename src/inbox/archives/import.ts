import type { CallerCtx } from "../../context.ts";
import { r2Keys } from "../../db/r2-keys.ts";
import { AppError, badRequest, unprocessable } from "../../errors.ts";
import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import { YieldingSteps } from "../../lib/yielding-steps.ts";
import {
  folderName,
  type ImportedMessage,
  mailboxLimits,
  saveUsedBytes,
  toPreview,
} from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";
import { type ArchiveEntry, ArchiveError, formatOf, readEntries } from "./entries.ts";
import { parseInSteps } from "./parse-in-steps.ts";
import { archiveStep, importBatch } from "./rules.ts";
import { ArchiveSource } from "./source.ts";

/** Errors of one answer. */
const MAX_ERRORS = 100;
/** Objects that are written to R2 at once: connections of an invocation that may wait for a response (Workers limits). */
const PUTS = 5;

/** The result of an import. */
export interface ImportSummary {
  imported: number;
  /** Messages that an earlier import of the last 30 days stored. */
  duplicates: number;
  skipped: number;
  errors: string[];
}

/**
 * Imports an archive of `size` bytes: messages with their folders, flags and labels. Holds a few messages in memory. A repeated
 * import adds nothing. Throws 400 for a body that ended early, 422 for a body that is no archive.
 */
export async function importArchive(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  { body, size, folder }: { body: ReadableStream<Uint8Array>; size: number; folder: string },
): Promise<ImportSummary> {
  const key = `${r2Keys.mailbox(mailbox.id)}files/${ctx.newId()}`;
  await mailbox.store.addUpload(key);
  try {
    await upload(ctx, key, body, size);
    const source = new ArchiveSource(ctx, key, size);
    const format = formatOf(await source.read(0, Math.min(size, 5)));
    if (!format)
      throw unprocessable([{ loc: ["body"], msg: "The body is no ZIP archive and no mbox file", type: "value_error" }]);
    const steps = new YieldingSteps(archiveStep);
    const run = new ImportRun(ctx, mailbox, steps);
    await run.read(readEntries(source, { format, folder, steps }));
    await saveUsedBytes(ctx, mailbox, (await mailbox.store.quota()).usedBytes);
    return run.summary;
  } finally {
    await ctx.env.CONTENT.delete(key).catch(() => {});
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

interface PendingMessage extends ImportedMessage {
  name: string;
  raw: Uint8Array;
}

class ImportRun {
  readonly summary: ImportSummary = { imported: 0, duplicates: 0, skipped: 0, errors: [] };
  readonly #ctx: CallerCtx;
  readonly #mailbox: OpenMailbox;
  readonly #steps: YieldingSteps;
  readonly #folders = new Set<string>();
  #pending: PendingMessage[] = [];
  #pendingBytes = 0;
  #pendingCharacters = 0;
  #isFull = false;

  constructor(ctx: CallerCtx, mailbox: OpenMailbox, steps: YieldingSteps) {
    this.#ctx = ctx;
    this.#mailbox = mailbox;
    this.#steps = steps;
  }

  async read(entries: AsyncGenerator<ArchiveEntry>): Promise<void> {
    try {
      for await (const entry of entries) {
        await this.#take(entry);
        if (this.#isFull) return this.#fail("The mailbox is full; the rest was not imported");
      }
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      this.#fail(error.message);
    }
    await this.#store();
    if (this.#isFull) this.#fail("The mailbox is full");
  }

  async #take(entry: ArchiveEntry): Promise<void> {
    if (entry.kind === "fault") {
      this.summary.skipped += 1;
      return this.#fail(`${entry.name}: ${entry.fault}`);
    }
    if (entry.kind === "contents") return this.#mailbox.store.createContents(entry.contents);
    await this.#createFolder(entry.folder);
    const isLarge = entry.original.length > importBatch.bytes;
    if (isLarge || this.#pendingBytes + entry.original.length > importBatch.bytes) await this.#store();
    const message = await this.#toPending(entry, isLarge ? entry.original : entry.original.slice());
    this.#pending.push(message);
    this.#pendingBytes += entry.original.length;
    this.#pendingCharacters += Math.min(message.message.searchText.length, mailboxLimits.searchCharacters);
    const isFull =
      this.#pending.length === importBatch.messages || this.#pendingCharacters >= importBatch.searchCharacters;
    if (isLarge || isFull) await this.#store();
  }

  /** Creates a folder that the archive names and the list of folders does not. */
  async #createFolder(name: string): Promise<void> {
    const canonical = folderName(name);
    if (this.#folders.has(canonical)) return;
    this.#folders.add(canonical);
    await this.#mailbox.store.createContents({ folders: [canonical], labels: [] });
    await this.#steps.add(1, 0);
  }

  async #toPending(
    { name, marks, folder }: Extract<ArchiveEntry, { kind: "message" }>,
    raw: Uint8Array,
  ): Promise<PendingMessage> {
    const { parsed: whole, hash } = await parseInSteps(raw, this.#steps);
    const { fields: _, text, ...parsed } = whole;
    const now = this.#ctx.now();
    const known = marks?.receivedAt ?? null;
    const identity = [this.#mailbox.id, "import", folder, known, hash];
    return {
      name,
      raw,
      flagged: marks?.flagged ?? false,
      answered: marks?.answered ?? false,
      labels: marks?.labels ?? [],
      message: {
        ...parsed,
        // Its own name: the object of an earlier import may be about to be deleted.
        object: `${r2Keys.mailbox(this.#mailbox.id)}${this.#ctx.newId()}.eml`,
        folder,
        receivedAt: Math.max(0, Math.min(known ?? parsed.date ?? now, now)),
        preview: toPreview(text),
        searchText: text,
        size: raw.length,
        // An archive could say anything.
        authentication: null,
        seen: marks?.seen ?? true,
        draft: folderName(folder) === "Drafts",
        deliveryKey: await uuidFromHash(utf8(JSON.stringify(identity))),
      },
    };
  }

  /** Stores the pending messages: their objects first, then their records. */
  async #store(): Promise<void> {
    const batch = this.#pending;
    [this.#pending, this.#pendingBytes, this.#pendingCharacters] = [[], 0, 0];
    if (batch.length === 0) return;
    const { store, quotaBytes } = this.#mailbox;
    const keys = new Set(await store.findImported(batch.map(({ message }) => message.deliveryKey ?? "")));
    const unknown = batch.filter(({ message }) => !keys.has(message.deliveryKey ?? ""));
    this.summary.duplicates += batch.length - unknown.length;
    await this.#putObjects(unknown);
    const imported = unknown.map(({ name: _, raw: _raw, ...message }) => message);
    const results = await store.importMessages(imported, quotaBytes);
    const unused: string[] = [];
    for (const [index, { result }] of results.entries()) {
      if (result === "added") this.summary.imported += 1;
      else if (result === "duplicate") this.summary.duplicates += 1;
      else {
        this.summary.skipped += 1;
        this.#isFull = true;
      }
      const object = unknown[index]?.message.object;
      if (result !== "added" && object) unused.push(object);
    }
    if (unused.length > 0) await this.#ctx.env.CONTENT.delete(unused);
  }

  async #putObjects(messages: readonly PendingMessage[]): Promise<void> {
    for (let at = 0; at < messages.length; at += PUTS) {
      const group = messages.slice(at, at + PUTS);
      await Promise.all(group.map(({ message, raw }) => this.#ctx.env.CONTENT.put(message.object, raw)));
      const bytes = group.reduce((sum, { raw }) => sum + raw.length, 0);
      await this.#steps.add(group.length, bytes);
    }
  }

  #fail(text: string): void {
    if (this.summary.errors.length < MAX_ERRORS) this.summary.errors.push(text);
  }
}
