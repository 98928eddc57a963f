import { readChunks } from "../../lib/read-chunks.ts";
import { MessageParser } from "../../mail/messages/parse.ts";
import type { Ctx } from "../../platform/context.ts";
import { findUnstructured, postponeStructure, saveStructure } from "./structures.ts";

/** Messages of one run of the alarm, and bytes of them: the object takes no call while it parses. */
const MESSAGES_PER_RUN = 20;
const BYTES_PER_RUN = 20_000_000;

/** Wait until an object that could not be read is tried again, in ms: a minute, at most doubled six times. */
const RETRY_MS = 60_000;
const MOST_DOUBLINGS = 6;

/**
 * Finds out the structures of some messages of earlier versions from their objects, the newest first. Safe to repeat. A message whose object
 * cannot be read, or does not exist yet as in a restore, waits for it. Returns when to go on, in ms: 0 when others wait.
 */
export async function addStructures(ctx: Ctx, storage: DurableObjectStorage): Promise<number> {
  let left = BYTES_PER_RUN;
  for (const message of findUnstructured(storage.sql, MESSAGES_PER_RUN)) {
    if (left <= 0) break;
    try {
      const found = await readStructure(ctx, message.object);
      storage.transactionSync(() => saveStructure(storage.sql, message.id, found));
      left -= message.size;
    } catch (error) {
      ctx.log("mailbox.structure-not-read", { object: message.object, error: String(error) });
      postponeStructure(storage.sql, message.id);
    }
  }
  const [next] = findUnstructured(storage.sql, 1);
  return next && next.tries > 0 ? RETRY_MS * 2 ** Math.min(next.tries - 1, MOST_DOUBLINGS) : 0;
}

async function readStructure(ctx: Ctx, object: string) {
  const found = await ctx.env.CONTENT.get(object);
  if (!found) throw new Error("the object does not exist");
  const parser = new MessageParser();
  for await (const chunk of readChunks(found.body)) parser.push(chunk);
  const { structure, header } = parser.end();
  return { structure, header };
}
