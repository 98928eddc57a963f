import { toReadable } from "../lib/readable.ts";
import type { AppContext } from "./env.ts";

const SHOWN_AS_THEY_ARE =
  /^(?:image\/(?:png|gif|jpeg|webp)|application\/(?:pdf|zip|mbox|octet-stream)|text\/(?:plain|csv)|message\/rfc822)$/;

/** Returns the headers of a file that someone else wrote: browsers must neither guess its type nor show it. */
export function download(filename: string, contentType: string): Record<string, string> {
  const quoted = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  return {
    "Content-Type": SHOWN_AS_THEY_ARE.test(contentType) ? contentType : "application/octet-stream",
    "Content-Disposition": `attachment; filename="${quoted}"; filename*=UTF-8''${encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)}`,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, no-store",
  };
}

/** Returns a message as a file, piece by piece. `size` in bytes. */
export function respondMessage(
  c: AppContext,
  filename: string,
  { size, chunks }: { size: number; chunks: () => AsyncIterable<Uint8Array> },
) {
  const headers = { ...download(filename, "message/rfc822"), "Content-Length": `${size}` };
  return c.body(toReadable(chunks()), 200, headers);
}
