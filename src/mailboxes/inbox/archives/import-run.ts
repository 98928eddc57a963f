import { utf8 } from "../../../lib/bytes.ts";
import { uuidFromHash } from "../../../lib/ids.ts";
import { piecesOf, type YieldingSteps } from "../../../lib/yielding-steps.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ObjectUpload } from "../../../platform/db/object-upload.ts";
import { r2Keys } from "../../../platform/db/r2-keys.ts";
import {
  type ArchiveCursor,
  folderName,
  type ImportCounts,
  type ImportedMessage,
  type ImportResult,
  type MailboxStore,
  mailboxLimits,
  nameIssue,
  toNewMessage,
} from "../../mailbox-store/index.ts";
import { type ArchiveEntry, ArchiveError } from "./entries.ts";
import { parseInSteps } from "./parse-in-steps.ts";
import { importBatch, isBeyond, type RunBounds } from "./rules.ts";

/** Errors of an import. */
const MAX_ERRORS = 100;
/** The color of a label that only messages name. */
const LABEL_COLOR = "#7f8c8d";
/** Objects that are written to R2 at once: connections of an invocation that may wait for a response (Workers limits). */
const PUTS = 5;
/** Bytes of a large message that are uploaded between two steps. */
const PIECE_BYTES = 1024 * 1024;

/** The mailbox of an import. */
export interface ImportTarget {
  id: string;
  quotaBytes: number | null;
  store: MailboxStore;
}

/** An import that a run begins or continues. */
export interface ImportJob {
  id: string;
  /** The step of an import that the mailbox stores; null for one that it does not know (yet). */
  step: number | null;
  cursor: ArchiveCursor;
}

interface PendingMessage extends ImportedMessage {
  name: string;
  raw: Uint8Array;
}

/** Signals that another run continues the import. */
export class ImportTakenError extends Error {
  override name = "ImportTakenError";
}

const noCounts = (): ImportCounts => ({ imported: 0, duplicates: 0, skipped: 0, errors: [] });

/** Imports messages of an archive from the place of a job on, in batches that each move the stored place. */
export class ImportRun {
  /** The counts of this run. */
  readonly counts = noCounts();
  /** The place after the messages that are stored. */
  cursor: ArchiveCursor;
  readonly #ctx: Ctx;
  readonly #mailbox: ImportTarget;
  readonly #steps: YieldingSteps;
  readonly #id: string;
  #step: number | null;
  readonly #created = { folders: new Set<string>(), labels: new Set<string>() };
  #pending: PendingMessage[] = [];
  #pendingBytes = 0;
  #pendingCharacters = 0;
  /** The place after the entry that was read last, and what was counted since the last batch was stored. */
  #readTo: ArchiveCursor;
  #uncounted = noCounts();
  #isFull = false;

  constructor(ctx: Ctx, mailbox: ImportTarget, steps: YieldingSteps, job: ImportJob) {
    this.#ctx = ctx;
    this.#mailbox = mailbox;
    this.#steps = steps;
    this.#id = job.id;
    this.#step = job.step;
    this.cursor = job.cursor;
    this.#readTo = job.cursor;
  }

  /**
   * Imports entries up to bounds. Returns true at the end of the archive, also when it cannot be read any further or the mailbox
   * is full. Throws ImportTakenError when another run has moved the import.
   */
  async read(entries: AsyncGenerator<ArchiveEntry>, bounds: RunBounds): Promise<boolean> {
    const taken = { messages: 0, bytes: 0 };
    try {
      for await (const entry of entries) {
        if (isBeyond(taken, bounds)) {
          await this.#store();
          return this.#isFull && this.#endFull("The mailbox is full; the rest was not imported");
        }
        taken.messages += 1;
        taken.bytes += entry.kind === "message" ? entry.original.length : 0;
        await this.#take(entry);
        if (this.#isFull) return this.#endFull("The mailbox is full; the rest was not imported");
      }
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      this.#fail(error.message);
    }
    await this.#store();
    return this.#isFull ? this.#endFull("The mailbox is full") : true;
  }

  async #endFull(text: string): Promise<true> {
    this.#fail(text);
    await this.#save([]);
    return true;
  }

  async #take(entry: ArchiveEntry): Promise<void> {
    if (entry.kind === "message") await this.#takeMessage(entry);
    else if (entry.kind === "contents") await this.#mailbox.store.createContents(entry.contents);
    else {
      this.#count({ skipped: 1 });
      this.#fail(`${entry.name}: ${entry.issue}`);
    }
    this.#readTo = entry.next;
    const isFull =
      this.#pending.length === importBatch.messages ||
      this.#pendingBytes > importBatch.bytes ||
      this.#pendingCharacters >= importBatch.searchCharacters;
    if (isFull) await this.#store();
  }

  async #takeMessage(entry: Extract<ArchiveEntry, { kind: "message" }>): Promise<void> {
    const { length } = entry.original;
    await this.#createMissing([folderName(entry.folder)], entry.archiveHeaders?.labels ?? []);
    if (this.#pendingBytes + length > importBatch.bytes) await this.#store();
    // A large one is stored before the next entry is read.
    const message = await this.#toPending(entry, length > importBatch.bytes ? entry.original : entry.original.slice());
    this.#pending.push(message);
    this.#pendingBytes += length;
    this.#pendingCharacters += Math.min(message.message.searchText.length, mailboxLimits.searchCharacters);
  }

  /** Creates the folder and the labels of a message that no list of the archive has. */
  async #createMissing(folders: readonly string[], labels: readonly string[]): Promise<void> {
    // A mailbox takes no more.
    const mayName = this.#created.labels.size < mailboxBudgets.labels.rows;
    const missing = {
      folders: folders.filter((name) => !this.#created.folders.has(name)),
      labels: labels.filter((name) => mayName && nameIssue(name) === null && !this.#created.labels.has(name)),
    };
    if (missing.folders.length + missing.labels.length === 0) return;
    for (const name of missing.folders) this.#created.folders.add(name);
    for (const name of missing.labels) this.#created.labels.add(name);
    const colored = missing.labels.map((name) => ({ name, color: LABEL_COLOR }));
    await this.#mailbox.store.createContents({ folders: missing.folders, labels: colored });
    await this.#steps.add(1, 0);
  }

  async #toPending(
    { name, archiveHeaders, folder, next }: Extract<ArchiveEntry, { kind: "message" }>,
    raw: Uint8Array,
  ): Promise<PendingMessage> {
    const { parsed, hash } = await parseInSteps(raw, this.#steps);
    const now = this.#ctx.now();
    const known = archiveHeaders?.receivedAt ?? null;
    const identity = [this.#mailbox.id, "import", folder, known, hash];
    const deliveryKey = await uuidFromHash(utf8(JSON.stringify(identity)));
    // Its own name: the object of an earlier import may be about to be deleted. A batch that is repeated writes the same objects.
    const object = await uuidFromHash(utf8(JSON.stringify([this.#id, next.entries])));
    return {
      name,
      raw,
      flagged: archiveHeaders?.flagged ?? false,
      answered: archiveHeaders?.answered ?? false,
      labels: archiveHeaders?.labels ?? [],
      message: {
        ...toNewMessage(parsed, {
          object: r2Keys.mailboxMessage(this.#mailbox.id, object),
          folder,
          size: raw.length,
          // An archive could say anything.
          authentication: null,
          deliveryKey,
          now: Math.max(0, Math.min(known ?? parsed.date ?? now, now)),
        }),
        seen: archiveHeaders?.seen ?? true,
        draft: folderName(folder) === "Drafts",
      },
    };
  }

  /** Stores the pending messages: their objects first, then their records with the place in the archive. */
  async #store(): Promise<void> {
    const batch = this.#pending;
    [this.#pending, this.#pendingBytes, this.#pendingCharacters] = [[], 0, 0];
    const keys = batch.map(({ message }) => message.deliveryKey ?? "");
    const known = new Set(batch.length === 0 ? [] : await this.#mailbox.store.findImported(keys));
    const messages = batch.filter(({ message }) => !known.has(message.deliveryKey ?? ""));
    this.#count({ duplicates: batch.length - messages.length });
    await this.#putObjects(messages);
    const results = await this.#save(messages.map(({ name: _, raw: _raw, ...message }) => message));
    const unused = messages.flatMap(({ message }, index) =>
      results[index]?.result === "added" ? [] : [message.object],
    );
    if (unused.length > 0) await this.#ctx.env.CONTENT.delete(unused);
  }

  /** Writes records, what was counted since, and the place that was read to, in one transaction. */
  async #save(messages: readonly ImportedMessage[]): Promise<ImportResult[]> {
    const [added, cursor] = [this.#uncounted, this.#readTo];
    const progress = this.#step === null ? null : { id: this.#id, step: this.#step, cursor, added };
    const { store, quotaBytes } = this.#mailbox;
    const hasWork = progress !== null || messages.length > 0;
    const results = hasWork ? await store.importMessages(messages, quotaBytes, progress) : [];
    if (!results) throw new ImportTakenError();
    if (this.#step !== null) this.#step += 1;
    [this.cursor, this.#uncounted] = [cursor, noCounts()];
    for (const { result } of results) {
      if (result === "added") this.counts.imported += 1;
      else if (result === "duplicate") this.counts.duplicates += 1;
      else {
        this.counts.skipped += 1;
        this.#isFull = true;
      }
    }
    await this.#steps.add(messages.length, 0);
    return results;
  }

  async #putObjects(messages: readonly PendingMessage[]): Promise<void> {
    for (let at = 0; at < messages.length; at += PUTS) {
      const group = messages.slice(at, at + PUTS);
      await Promise.all(group.map((one) => this.#putObject(one)));
      await this.#steps.add(group.length, 0);
    }
  }

  async #putObject({ message, raw }: PendingMessage): Promise<void> {
    const { CONTENT } = this.#ctx.env;
    if (raw.length <= importBatch.bytes) {
      await CONTENT.put(message.object, raw);
      return this.#steps.add(0, raw.length);
    }
    const upload = new ObjectUpload(CONTENT, message.object);
    try {
      for (const piece of piecesOf(raw, PIECE_BYTES)) {
        await upload.append(piece);
        await this.#steps.add(0, piece.length);
      }
      await upload.finish();
    } catch (error) {
      // Parts that stay are deleted by R2 after seven days.
      await upload.abort().catch(() => {});
      throw error;
    }
  }

  #count(counts: Partial<Record<"duplicates" | "skipped", number>>): void {
    for (const target of [this.counts, this.#uncounted]) {
      target.duplicates += counts.duplicates ?? 0;
      target.skipped += counts.skipped ?? 0;
    }
  }

  #fail(text: string): void {
    for (const { errors } of [this.counts, this.#uncounted]) if (errors.length < MAX_ERRORS) errors.push(text);
  }
}
