import { readChunks } from "../../lib/read-chunks.ts";
import { MessageParser } from "../../mail/messages/index.ts";
import { plainStructure } from "../../mail/structures/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { findUnstructured, saveStructure, type UnstructuredMessage } from "./structures.ts";

/** Messages of one run of the alarm, and bytes of them: the object takes no call while it parses. */
const MESSAGES_PER_RUN = 20;
const BYTES_PER_RUN = 20_000_000;

/**
 * Finds out the structures of some messages of earlier versions from their objects, the newest first. Safe to repeat. A message whose object
 * does not exist is a text. Returns false when an object could not be read.
 */
export async function addStructures(ctx: Ctx, storage: DurableObjectStorage): Promise<boolean> {
  let left = BYTES_PER_RUN;
  for (const message of findUnstructured(storage.sql, MESSAGES_PER_RUN)) {
    if (left <= 0) break;
    try {
      const found = await readStructure(ctx, message);
      storage.transactionSync(() => saveStructure(storage.sql, message.id, found));
      left -= message.size;
    } catch (error) {
      ctx.log("mailbox.structure-not-read", { object: message.object, error: String(error) });
      return false;
    }
  }
  return true;
}

async function readStructure(ctx: Ctx, { object, size, headerSize }: UnstructuredMessage) {
  const found = await ctx.env.CONTENT.get(object);
  if (!found) return { structure: plainStructure(headerSize, size), header: null };
  const parser = new MessageParser();
  for await (const chunk of readChunks(found.body)) parser.push(chunk);
  const { structure, header } = parser.end();
  return { structure, header };
}
