import { binaryStringToBytes } from "../../lib/bytes.ts";
import type { ComposedMessage } from "../mime/message.ts";
import { parseFields } from "./fields.ts";
import type { RawPart } from "./part-list.ts";

/** A submitted message as it is stored. */
export interface RawContent {
  /** The header section as a binary string: one character for each byte. */
  head: string;
  /** The body as a binary string, or its range in the R2 object. */
  body: string | { at: number; size: number };
  isEightBit: boolean;
  parts: RawPart[];
}

/** Reads the body of a submitted message from its first byte. */
export type BodySource = () => Promise<ReadableStream<Uint8Array>>;

/** Returns a submitted message, unchanged, for DKIM and the transport. `source` is called for each read of a body that is not in memory. */
export function composeRaw(
  { head, isEightBit }: Pick<RawContent, "head" | "isEightBit">,
  body: Uint8Array | { size: number; source: BodySource },
): ComposedMessage {
  const headers = parseFields(head);
  const isInMemory = body instanceof Uint8Array;
  return {
    headers,
    needsSmtpUtf8: /[\x80-\xff]/.test(head),
    needs8BitMime: isEightBit,
    bodySize: isInMemory ? body.length : body.size,
    bodyInMemory: isInMemory ? body : null,
    async *body() {
      if (isInMemory) yield body;
      else yield* await body.source();
    },
  };
}

/** Returns the body of a stored message when it is in the document. */
export function inlineBody({ body }: RawContent): Uint8Array | null {
  return typeof body === "string" ? binaryStringToBytes(body) : null;
}
