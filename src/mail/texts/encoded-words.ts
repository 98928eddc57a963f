import { concat, utf8 } from "../../lib/bytes.ts";
import { decodeWhole } from "../mime/body-decoder.ts";
import { charsetOf } from "./charsets.ts";
import { decodeText } from "./text.ts";

/** An encoded-word (RFC 2047 2), with the language that RFC 2231 5 allows in it. */
export const WORD = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bq])\?([^?]*)\?=/gi;

/** A word: its charset and its bytes. Base64 that another word continues within a group of four is left in `open`. */
interface Word {
  charset: string;
  bytes: Uint8Array;
  open: string;
}

/**
 * Decodes the encoded-words of a field (RFC 2047). Between words of a run there is only white space (6.2). Takes time in proportion to its
 * length.
 */
export function decodeEncodedWords(value: string): string {
  let [result, at] = ["", 0];
  let run: Word[] = [];
  const endRun = () => {
    result += decodeRun(run);
    run = [];
  };
  for (const match of value.matchAll(WORD)) {
    const [whole, charset = "", encoding = "", text = ""] = match;
    const between = value.slice(at, match.index);
    if (run.length === 0 || /\S/.test(between)) {
      endRun();
      result += between;
    }
    run.push(readWord(charsetOf(charset), encoding.toLowerCase(), text, run.at(-1)));
    at = match.index + whole.length;
  }
  endRun();
  return result + value.slice(at);
}

/** `before` is the word before it in the run, whose open base64 it continues. */
function readWord(charset: string, encoding: string, text: string, before: Word | undefined): Word {
  if (encoding === "q") return { charset, bytes: decodeQ(text), open: "" };
  const continued = before?.charset === charset ? before.open : "";
  if (before && continued !== "") before.open = "";
  const base64 = continued + text.replace(/[^A-Za-z0-9+/=]+/g, "");
  // Padding ends the base64; without it the next word may continue a group.
  const whole = text.includes("=") ? base64.length : base64.length - (base64.length % 4);
  return { charset, bytes: fromBase64(base64.slice(0, whole)), open: base64.slice(whole) };
}

const fromBase64 = (text: string) => decodeWhole(utf8(text), "base64");

/** Decodes the Q encoding (RFC 2047 4.2). */
function decodeQ(text: string): Uint8Array {
  const bytes = utf8(text.replaceAll("_", " "));
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === 0x3d ? hexAt(bytes, at + 1) : -1;
    bytes[to++] = code < 0 ? (bytes[at] as number) : code;
    if (code >= 0) at += 2;
  }
  return bytes.subarray(0, to);
}

/** Returns the value of two hexadecimal digits, or -1. */
function hexAt(bytes: Uint8Array, at: number): number {
  const digits = String.fromCharCode(...bytes.subarray(at, at + 2));
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
}

/** Decodes a run. Words of one charset are decoded together, since many mailers split a character between two. */
function decodeRun(run: readonly Word[]): string {
  let text = "";
  for (let from = 0; from < run.length; ) {
    const charset = run[from]?.charset ?? "";
    let to = from + 1;
    while (run[to]?.charset === charset) to++;
    text += decodeTogether(run.slice(from, to), charset);
    from = to;
  }
  return text;
}

function decodeTogether(words: readonly Word[], charset: string): string {
  const pieces = words.flatMap(({ bytes, open }) => (open === "" ? [bytes] : [bytes, fromBase64(open)]));
  const separate = () => pieces.map((bytes) => decodeText(bytes, charset)).join("");
  // A word of UTF-7 ends its shifted text without a sign.
  if (pieces.length === 1 || charset === "utf-7") return separate();
  const together = decodeText(concat(pieces), charset);
  if (!together.includes("\ufffd")) return together;
  const apart = separate();
  return apart.includes("\ufffd") ? together : apart;
}
