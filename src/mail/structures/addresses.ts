import type { EnvelopeAddress } from "./types.ts";

/** Addresses of one field that are read. */
const MAX_ADDRESSES = 500;

/** The pieces of an address that are read so far. */
interface Reading {
  phrase: string;
  comment: string | null;
  angle: string | null;
}

const nothing = (): Reading => ({ phrase: "", comment: null, angle: null });

/**
 * Reads the addresses of a field as IMAP shows them (RFC 5322 3.4): names keep their encoded words, comments name an address without a
 * phrase, and groups have a beginning and an end. Never throws. The time is that of the text.
 */
export function readAddresses(value: string): EnvelopeAddress[] {
  const addresses: EnvelopeAddress[] = [];
  let reading = nothing();
  let isInGroup = false;
  const flush = () => {
    const address = toAddress(reading);
    if (address) addresses.push(address);
    reading = nothing();
  };
  for (let at = 0; at < value.length && addresses.length < MAX_ADDRESSES; ) {
    const character = value[at] ?? "";
    at += 1;
    if (character === '"') {
      const end = endOfQuoted(value, at);
      reading.phrase += withoutEscapes(value.slice(at, end));
      at = end + 1;
    } else if (character === "(") {
      const end = endOfComment(value, at);
      reading.comment = value.slice(at, end).trim();
      at = end + 1;
    } else if (character === "<") {
      const end = value.indexOf(">", at);
      reading.angle = value.slice(at, end < 0 ? value.length : end).trim();
      at = end < 0 ? value.length : end + 1;
    } else if (character === "," || character === ";") {
      flush();
      if (character === ";" && isInGroup) addresses.push([null, null, null]);
      if (character === ";") isInGroup = false;
    } else if (character === ":" && !isInGroup && reading.phrase.trim() !== "" && !reading.phrase.includes("@")) {
      addresses.push([null, reading.phrase.trim(), null]);
      reading = nothing();
      isInGroup = true;
    } else reading.phrase += character;
  }
  flush();
  if (isInGroup) addresses.push([null, null, null]);
  return addresses;
}

function endOfQuoted(value: string, from: number): number {
  let at = from;
  while (at < value.length && value[at] !== '"') at += value[at] === "\\" ? 2 : 1;
  return Math.min(at, value.length);
}

function endOfComment(value: string, from: number): number {
  let depth = 1;
  for (let at = from; at < value.length; at += 1) {
    const character = value[at];
    if (character === "\\") at += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return value.length;
}

const withoutEscapes = (text: string) => text.replace(/\\(.)/g, "$1");

function toAddress({ phrase, comment, angle }: Reading): EnvelopeAddress | null {
  const text = phrase.replace(/\s+/g, " ").trim();
  if (angle !== null) return [text || null, ...split(angle.replace(/^@[^:]*:/, ""))];
  if (text === "") return null;
  // Words without an at sign are a name.
  if (text.includes(" ") && !text.includes("@")) return [text, "MISSING_MAILBOX", "MISSING_DOMAIN"];
  return [comment || null, ...split(text.replaceAll(" ", ""))];
}

/** The host has a name of its own where there is none, because an address without one would be a group. */
function split(address: string): [string, string] {
  const at = address.lastIndexOf("@");
  return at < 0 ? [address, "MISSING_DOMAIN"] : [address.slice(0, at), address.slice(at + 1) || "MISSING_DOMAIN"];
}
