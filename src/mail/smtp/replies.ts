/** Parses server replies (RFC 5321 4.2) from octets that TCP may split anywhere. No I/O. */

import { concat } from "../../lib/bytes.ts";
import type { Reply } from "./transport.ts";

/** A reply as received: its code and the text of each line. */
export interface RawReply {
  code: number;
  lines: readonly string[];
}

/** Signals that the server sent something other than SMTP; the session must end. */
export class ReplySyntaxError extends Error {
  override name = "ReplySyntaxError";
}

/** RFC 5321 4.5.3.1.5 allows 512; some servers send more. */
const LINE_MAX_BYTES = 2_048;
const REPLY_MAX_LINES = 128;
const TEXT_MAX_CHARS = 512;
const [LF, CR] = [0x0a, 0x0d];
const LINE = /^([2-5][0-9]{2})(?:([ -])(.*))?$/s;

/** Collects bytes and returns complete replies. Holds at most 128 lines of 2,048 bytes. */
export class ReplyParser {
  #rest: Uint8Array = new Uint8Array(0);
  #at = 0;
  #code = 0;
  #lines: string[] = [];
  readonly #decoder = new TextDecoder();

  /** True while received bytes belong to no returned reply. */
  get pending(): boolean {
    return this.#at < this.#rest.length || this.#lines.length > 0;
  }

  /** Adds bytes from the socket. */
  feed(chunk: Uint8Array): void {
    this.#rest = this.#at === this.#rest.length ? chunk : concat([this.#rest.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /** Returns the next complete reply, or null when it needs more bytes. Throws ReplySyntaxError for malformed input. */
  next(): RawReply | null {
    for (;;) {
      const line = this.#nextLine();
      if (line === null) return null;
      const match = LINE.exec(line);
      if (!match) throw new ReplySyntaxError("the server sent something that is not an SMTP reply");
      const code = Number(match[1]);
      if (this.#lines.length > 0 && code !== this.#code)
        throw new ReplySyntaxError("the lines of a reply have different codes");
      if (this.#lines.length === REPLY_MAX_LINES)
        throw new ReplySyntaxError(`a reply has too many lines; the limit is ${REPLY_MAX_LINES}`);
      this.#code = code;
      this.#lines.push(match[3] ?? "");
      if (match[2] === "-") continue;
      const lines = this.#lines;
      this.#lines = [];
      return { code, lines };
    }
  }

  #nextLine(): string | null {
    const end = this.#rest.indexOf(LF, this.#at);
    if ((end < 0 ? this.#rest.length : end) - this.#at > LINE_MAX_BYTES)
      throw new ReplySyntaxError(`a reply line is too long; the limit is ${LINE_MAX_BYTES} bytes`);
    if (end < 0) return null;
    const stop = end > this.#at && this.#rest[end - 1] === CR ? end - 1 : end;
    const line = this.#decoder.decode(this.#rest.subarray(this.#at, stop));
    this.#at = end + 1;
    return line;
  }
}

/** Converts a raw reply to a Reply: separates the enhanced code (RFC 2034), joins the lines, replaces control characters. */
export function toReply(raw: RawReply): Reply {
  const prefix = /^([245]\.[0-9]{1,3}\.[0-9]{1,3})(?:[ \t]+|$)/;
  const prefixCode = prefix.exec(raw.lines[0] ?? "")?.[1];
  const enhanced = prefixCode?.startsWith(String(raw.code).charAt(0)) ? prefixCode : null;
  const lines = enhanced === null ? raw.lines : raw.lines.map((line) => line.replace(prefix, ""));
  const text = lines.join(" ").replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, "?");
  return { code: raw.code, enhanced, text: text.slice(0, TEXT_MAX_CHARS).toWellFormed() };
}

/** Returns a reply on one line, as the server sent it (RFC 5321 4.2, RFC 2034 4). */
export const formatReply = ({ code, enhanced, text }: Reply): string =>
  [code, enhanced, text].filter((part) => part !== null && part !== "").join(" ");

/** Returns a reply made by this client, for what it refuses without asking the server. */
export const localReply = (code: number, enhanced: string, text: string): Reply => ({ code, enhanced, text });
