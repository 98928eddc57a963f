import { concat } from "../../lib/bytes.ts";
import { MessageParser, type ParsedMessage } from "../../mail/messages/parse.ts";
import type { BodySink } from "../../mail/messages/scan.ts";
import type { Ctx } from "../../platform/context.ts";
import { ObjectUpload } from "../../platform/db/object-upload.ts";

/** A message that is in R2, and what it contains. */
export interface StoredContent {
  /** Key of its R2 object. */
  object: string;
  /** Bytes of the message. */
  size: number;
  parsed: ParsedMessage;
  /** Its first bytes. */
  start: Uint8Array;
}

export interface PutOptions {
  maxBytes?: number;
  /** How many of its first bytes are returned. */
  startBytes?: number;
  /** Takes the bytes after the header. */
  body?: BodySink;
}

/** Signals a message that is larger than its reader takes. */
export class MessageTooLargeError extends Error {
  override name = "MessageTooLargeError";
}

/**
 * Puts a message into R2 while it is parsed, and holds at most 5 MiB of it. Throws MessageTooLargeError when it is larger than
 * `maxBytes`, and other errors when it cannot be read to its end or cannot be stored. Nothing is stored then.
 */
export async function putMessage(
  ctx: Pick<Ctx, "env">,
  object: string,
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, startBytes = 0, body }: PutOptions = {},
): Promise<StoredContent> {
  const upload = new ObjectUpload(ctx.env.CONTENT, object);
  const parser = new MessageParser(body ? { body } : {});
  const start: Uint8Array[] = [];
  try {
    for await (const chunk of chunks) {
      if (upload.size + chunk.length > maxBytes) throw new MessageTooLargeError();
      if (upload.size < startBytes) start.push(chunk.slice(0, startBytes - upload.size));
      parser.push(chunk);
      await upload.append(chunk);
    }
    const parsed = parser.end();
    await upload.finish();
    return { object, size: upload.size, parsed, start: concat(start) };
  } catch (error) {
    // Parts that stay are deleted by R2 after seven days.
    await upload.abort().catch(() => {});
    throw error;
  }
}
