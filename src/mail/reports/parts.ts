/**
 * Splits a message into its parts (RFC 2046), at a bounded cost whatever the message is (safety F12). Parts are views
 * of the message: nothing is decoded, nothing copied.
 */

import { type ContentType, readContentType } from "./content-type.ts";
import { type Fields, lineEnd, nextLine, readFields } from "./fields.ts";

/** Octets looked at, from the beginning; parts, multiparts included; multiparts in multiparts. */
const MAX_OCTETS = 1024 * 1024;
const MAX_PARTS = 1000;
const MAX_DEPTH = 10;

/** A part that is no multipart; an enclosed message is one part. */
export interface Part extends ContentType {
  fields: Fields;
  body: Uint8Array;
  /** `report-type` of the innermost multipart/report around it (RFC 6522), in lower case; null when there is none. */
  report: string | null;
}

export interface Split extends ContentType {
  /** Fields of the message itself. */
  fields: Fields;
  /** In the order of the message. */
  parts: readonly Part[];
}

interface Walk {
  raw: Uint8Array;
  parts: Part[];
  left: number;
}

const [DASH, SPACE, TAB] = [0x2d, 0x20, 0x09];

/** Splits a message. What lies beyond the limits is left out. */
export function splitMessage(raw: Uint8Array): Split {
  const to = Math.min(raw.length, MAX_OCTETS);
  const { fields, bodyAt } = readFields(raw, fromLine(raw, to), to);
  const content = readContentType(fields.get("content-type"), "text/plain");
  const walk: Walk = { raw, parts: [], left: MAX_PARTS };
  addPart(walk, { ...content, fields, body: raw.subarray(bodyAt, to), report: null }, 0);
  return { ...content, fields, parts: walk.parts };
}

/** Where the header begins: after the `From ` line of an mbox file, if there is one. */
function fromLine(raw: Uint8Array, to: number): number {
  const isMbox = [0x46, 0x72, 0x6f, 0x6d, SPACE].every((octet, i) => raw[i] === octet);
  return isMbox ? nextLine(raw, lineEnd(raw, 0, to), to) : 0;
}

function addPart(walk: Walk, part: Part, depth: number): void {
  if (walk.left-- <= 0) return;
  const boundary = part.parameters.get("boundary")?.trimEnd();
  if (!part.type.startsWith("multipart/") || !boundary || depth >= MAX_DEPTH) {
    walk.parts.push(part);
    return;
  }
  const report =
    part.type === "multipart/report" ? (part.parameters.get("report-type") ?? "").toLowerCase() : part.report;
  const fallback = part.type === "multipart/digest" ? "message/rfc822" : "text/plain";
  for (const octets of piecesOf(part.body, new TextEncoder().encode(boundary))) {
    if (walk.left <= 0) return;
    const { fields, bodyAt } = readFields(octets, 0, octets.length);
    const content = readContentType(fields.get("content-type"), fallback);
    addPart(walk, { ...content, fields, body: octets.subarray(bodyAt), report }, depth + 1);
  }
}

/** What lies between the delimiter lines of a multipart (RFC 2046 5.1.1); the last piece may lack its end. */
function* piecesOf(body: Uint8Array, boundary: Uint8Array): Generator<Uint8Array> {
  let piece = -1;
  for (let at = 0; at < body.length; ) {
    const end = lineEnd(body, at, body.length);
    const next = nextLine(body, end, body.length);
    const delimiter = delimiterAt(body, at, end, boundary);
    if (delimiter !== null) {
      if (piece >= 0) yield body.subarray(piece, at);
      if (delimiter === "close") return;
      piece = next;
    }
    at = next;
  }
  if (piece >= 0 && piece < body.length) yield body.subarray(piece);
}

function delimiterAt(body: Uint8Array, at: number, end: number, boundary: Uint8Array): "open" | "close" | null {
  if (body[at] !== DASH || body[at + 1] !== DASH || end - at < boundary.length + 2) return null;
  for (let i = 0; i < boundary.length; i++) if (body[at + 2 + i] !== boundary[i]) return null;
  let rest = at + 2 + boundary.length;
  const closes = body[rest] === DASH && body[rest + 1] === DASH && rest + 1 < end;
  if (closes) rest += 2;
  while (rest < end && (body[rest] === SPACE || body[rest] === TAB)) rest++;
  if (rest < end) return null;
  return closes ? "close" : "open";
}
