import { createHash } from "node:crypto";
import { concat } from "../../lib/bytes.ts";
import { RawMessageError } from "../../mail/raw/errors.ts";
import { MessageScanner, type ScannedMessage } from "../../mail/raw/scanner.ts";
import type { ContentUpload } from "../emails/content/index.ts";
import { ReplyError } from "./replies.ts";
import { MAX_ROW_BYTES, MAX_WIRE_BYTES } from "./rules.ts";

/**
 * The bytes that the gateway sends after the last byte of a message. An upload that was cut off lacks them, and no message
 * contains a NUL.
 */
const END = "\0end";

/** A submitted message that was read to its end. */
export interface ReadMessage extends ScannedMessage {
  /** The body, when it is small; null: it is at the start of the upload. */
  body: Uint8Array | null;
  /** SHA-256 of the message, in base64. */
  hash: string;
}

/**
 * Reads a message from the gateway. The body of a large one goes to the upload, so that at most one part of it is in
 * memory. `reserve` waits for memory before the first part is filled. Throws RawMessageError, and ReplyError 451 for a
 * message that was cut off.
 */
export async function readMessage(
  stream: AsyncIterable<Uint8Array>,
  upload: ContentUpload,
  reserve: () => Promise<void>,
): Promise<ReadMessage> {
  const scanner = new MessageScanner();
  const hash = createHash("sha256");
  const small: Uint8Array[] = [];
  let size = 0;
  let isLarge = false;
  const take = async (bytes: Uint8Array) => {
    size += bytes.length;
    if (size > MAX_WIRE_BYTES)
      throw new RawMessageError("size", `the message is larger than ${MAX_WIRE_BYTES.toLocaleString("en")} bytes`);
    hash.update(bytes);
    const body = scanner.write(bytes);
    if (!isLarge && size > MAX_ROW_BYTES) {
      isLarge = true;
      await reserve();
      for (const piece of small.splice(0)) await upload.store(piece);
    }
    if (isLarge) await upload.store(body);
    else small.push(body.slice());
  };
  let held: Uint8Array = new Uint8Array(0);
  for await (const chunk of stream) {
    const bytes = held.length > 0 ? concat([held, chunk]) : chunk;
    const to = Math.max(0, bytes.length - END.length);
    held = bytes.slice(to);
    if (to > 0) await take(bytes.subarray(0, to));
  }
  if (new TextDecoder().decode(held) !== END) throw new ReplyError("451 4.3.0 The message was cut off; try again");
  return { ...scanner.finish(), body: isLarge ? null : concat(small), hash: hash.digest("base64") };
}
