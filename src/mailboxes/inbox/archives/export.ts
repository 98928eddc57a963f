import { crc32 } from "node:zlib";
import type { CallerCtx } from "../../../access/caller.ts";
import { mayOpen } from "../../../access/mailbox-sessions/may-open.ts";
import { concat, utf8 } from "../../../lib/bytes.ts";
import { forbidden, requireFound } from "../../../lib/errors.ts";
import { MboxQuoter } from "../../../lib/mbox/quote.ts";
import { readChunks } from "../../../lib/read-chunks.ts";
import { YieldingSteps } from "../../../lib/yielding-steps.ts";
import { type ZipEntry, ZipWriter } from "../../../lib/zip/writer.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { ExportedMessage } from "../../mailbox-store/index.ts";
import { toWatcher } from "../events/index.ts";
import type { ReadableMailbox } from "../open.ts";
import { writeArchiveHeaders } from "./archive-headers.ts";
import { CONTENTS_FILE, writeContents } from "./contents.ts";
import { archiveStep } from "./rules.ts";
import { ArchiveSource } from "./source.ts";

/** Messages of one call of the mailbox, objects that are read ahead, and the largest of them that is held in memory. */
const [PAGE, AHEAD, HELD_BYTES] = [500, 6, 262_144];

/** An export that is running. */
interface ExportWork {
  ctx: Ctx;
  steps: YieldingSteps;
}

/** A message with its object: its bytes when it is small, else null. */
interface OpenMessage {
  message: ExportedMessage;
  bytes: Uint8Array | null;
}

/**
 * Returns all messages of a mailbox, or of one folder, as a ZIP archive or an mbox file, piece by piece and in steps. Holds at most six
 * small messages in memory. Messages that are deleted meanwhile are left out. Throws 404 for an unknown folder. Reading it
 * throws when a message cannot be read, so that an incomplete archive does not look complete. A slow reader takes
 * hours, and gets what arrives meanwhile: so it throws, too, when the caller may no longer open the mailbox.
 */
export async function exportMailbox(
  ctx: CallerCtx,
  { id, store }: ReadableMailbox,
  { format, folder }: { format: "zip" | "mbox"; folder: string | null },
): Promise<AsyncGenerator<Uint8Array>> {
  const readPage = async (after: number) => {
    const [opened] = after > 0 ? await mayOpen(ctx, [toWatcher(ctx, id)]) : [true];
    if (!opened) throw forbidden("The access to this mailbox has ended");
    return store.exportMessages({ after, limit: PAGE, folderName: folder });
  };
  const first = requireFound(await readPage(0), "Folder");
  const work = { ctx, steps: new YieldingSteps(archiveStep) };
  const messages = readAhead(work, pagesFrom(first, readPage));
  return format === "zip"
    ? writeZip(work, writeContents(await store.describeContents()), messages)
    : writeMbox(work, messages);
}

async function* pagesFrom(first: ExportedMessage[], readPage: (after: number) => Promise<ExportedMessage[] | null>) {
  for (let page: ExportedMessage[] | null = first; page; ) {
    yield* page;
    const last: ExportedMessage | undefined = page.at(-1);
    page = last && page.length === PAGE ? await readPage(last.cursor) : null;
  }
}

/** Reads the objects of the next messages while the current one is written. */
async function* readAhead({ ctx, steps }: ExportWork, messages: AsyncGenerator<ExportedMessage>) {
  const queue: Promise<OpenMessage | null>[] = [];
  for await (const message of messages) {
    const opened = openMessage(ctx, message);
    // A failure is thrown when its turn comes.
    opened.catch(() => {});
    queue.push(opened);
    const next = queue.length === AHEAD ? await queue.shift() : null;
    if (next) yield next;
    await steps.add(1, 0);
  }
  for (const opened of queue) {
    const next = await opened;
    if (next) yield next;
  }
}

async function openMessage(ctx: Ctx, message: ExportedMessage): Promise<OpenMessage | null> {
  if (message.size > HELD_BYTES) return { message, bytes: null };
  const object = await ctx.env.CONTENT.get(message.object);
  return object && { message, bytes: await object.bytes() };
}

/** Returns the bytes of a message in pieces, each valid until the next one, or null when it was deleted. */
async function contentOf({ ctx, steps }: ExportWork, { message, bytes }: OpenMessage) {
  if (!bytes) return (await ctx.env.CONTENT.head(message.object)) && steps.count(readObject(ctx, message));
  return (async function* () {
    yield bytes;
    await steps.add(0, bytes.length);
  })();
}

/** Reads a large message in ranges. Throws when it is deleted meanwhile. */
async function* readObject(ctx: Ctx, { object, size }: ExportedMessage): AsyncGenerator<Uint8Array> {
  yield* readChunks(await new ArchiveSource(ctx, object, size).stream(0, size));
}

async function* writeMbox(work: ExportWork, messages: AsyncGenerator<OpenMessage>) {
  for await (const open of messages) {
    const content = await contentOf(work, open);
    if (!content) continue;
    const { message } = open;
    yield concat([utf8(separator(message.from, message.receivedAt)), writeArchiveHeaders(message)]);
    const quoter = new MboxQuoter();
    for await (const chunk of content) yield quoter.push(chunk);
    yield quoter.end();
  }
}

/** Returns the line that begins a message of an mbox file: sender and time (RFC 4155, appendix A). */
function separator(from: string | null, at: number): string {
  const [weekday, month, day, time, year] = new Date(at)
    .toUTCString()
    .replace(/(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT/, "$1 $3 $2 $5 $4")
    .split(" ");
  const sender = from !== null && /^[\x21-\x7e]{1,320}$/.test(from) ? from : "MAILER-DAEMON";
  return `From ${sender} ${weekday} ${month} ${day?.replace(/^0/, " ")} ${time} ${year}\r\n`;
}

async function* writeZip(work: ExportWork, contents: string, messages: AsyncGenerator<OpenMessage>) {
  const zip = new ZipWriter();
  const file = utf8(contents);
  yield concat([
    zip.header({ name: CONTENTS_FILE, size: file.length, crc: crc32(file), modifiedAt: work.ctx.now() }),
    file,
  ]);
  for await (const open of messages) {
    const entry = await toEntry(work, open);
    const content = entry && (await contentOf(work, open));
    if (!entry || !content) continue;
    yield concat([zip.header(entry), writeArchiveHeaders(open.message)]);
    // The reader of the archive may keep it.
    for await (const chunk of content) yield chunk.slice();
  }
  yield* zip.end();
}

/** Returns the file of a message. A large one is read for its checksum first, because that comes before it. */
async function toEntry(work: ExportWork, open: OpenMessage): Promise<ZipEntry | null> {
  const content = await contentOf(work, open);
  if (!content) return null;
  const { id, folder, receivedAt } = open.message;
  const archiveHeaders = writeArchiveHeaders(open.message);
  let [crc, size] = [crc32(archiveHeaders), archiveHeaders.length];
  for await (const chunk of content) {
    crc = crc32(chunk, crc);
    size += chunk.length;
  }
  return { name: `${toPath(folder)}/${id}.eml`, size, crc, modifiedAt: receivedAt };
}

/** Returns the name of a folder as a path that every file system takes and that stays below the archive. */
function toPath(folder: string): string {
  const parts = folder
    .split("/")
    .map((part) => part.replace(/[<>:"|?*\\\p{Cc}]/gu, "_").replace(/^[. ]+|[. ]+$/g, "_"));
  return parts.map((part) => (part === "" ? "_" : part)).join("/");
}
