import * as z from "zod";
import { tryOr } from "../lib/try-or.ts";
import type { AppContext } from "./env.ts";

const Envelope = z.object({ from: z.string().max(1_000), to: z.array(z.string().max(1_000)).max(1_000) });

/** Returns the envelope of a message from the header X-Envelope. Null when it is malformed. */
export const readEnvelope = (c: AppContext): z.output<typeof Envelope> | null =>
  Envelope.safeParse(readJsonHeader(c, "X-Envelope")).data ?? null;

/** Returns the value of a header of JSON in UTF-8, in base64. Null when it is malformed. */
export function readJsonHeader(c: AppContext, name: string): unknown {
  return tryOr(() => {
    const bytes = Uint8Array.from(atob(c.req.header(name) ?? ""), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  }, null);
}
