import * as z from "zod";
import { concat } from "../../lib/bytes.ts";
import { badRequest } from "../../lib/errors.ts";
import { tryOr } from "../../lib/try-or.ts";

/** Bytes of a group of messages, and messages in it. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_MESSAGES = 64;
const LF = 0x0a;
/** The bytes that the gateway sends after the last byte of each message. */
const END = new TextEncoder().encode("\0end");

const Items = z
  .array(
    z.object({
      token: z.string().max(2_048),
      connection: z.string().max(100).optional(),
      sequence: z.number().int().min(0),
      envelope: z.object({ from: z.string().max(1_000), to: z.array(z.string().max(1_000)).max(1_000) }),
      octets: z.number().int().min(0),
    }),
  )
  .min(1)
  .max(MAX_MESSAGES);

/** A message of a group. */
export interface GroupedMessage extends Omit<z.output<typeof Items>[number], "octets"> {
  /** With the mark at its end. */
  bytes: Uint8Array;
}

/**
 * Reads small messages that the gateway sends together: a line of JSON with their envelopes and sizes, then the messages, each with the
 * mark at its end. Throws 400 unless the body has exactly these bytes, so that one that was cut off is never accepted.
 */
export async function readGroup(request: Request): Promise<GroupedMessage[]> {
  const body = await readBody(request);
  const end = body.indexOf(LF);
  const head = new TextDecoder().decode(body.subarray(0, Math.max(0, end)));
  const items = Items.safeParse(tryOr(() => JSON.parse(head), null)).data;
  if (!items) throw badRequest("a group of messages begins with a line of JSON");
  let at = end + 1;
  const messages = items.map(({ octets: size, ...item }) => {
    at += size;
    return { ...item, bytes: body.subarray(at - size, at) };
  });
  if (at !== body.length || !messages.every(({ bytes }) => endsWithMark(bytes)))
    throw badRequest("the group of messages was cut off");
  return messages;
}

/** Reads the body, at once when its size is given: that takes less CPU than its pieces do. */
async function readBody(request: Request): Promise<Uint8Array> {
  const given = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (given <= MAX_BYTES) return request.bytes();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw badRequest(`a group of messages has more than ${MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return concat(pieces);
}

function endsWithMark(bytes: Uint8Array): boolean {
  const tail = bytes.subarray(-END.length);
  return tail.length === END.length && END.every((byte, index) => tail[index] === byte);
}
