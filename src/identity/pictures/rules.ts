import { fromBase64Url, MEBIBYTE, toBase64Url } from "../../lib/bytes.ts";
import { bytesOfHex, uuidOf } from "../../lib/ids.ts";

export const limits = { bytes: 5 * MEBIBYTE } as const;

/** Media types of pictures by the ending of their address, with the text that their bytes begin with. SVG is left out: it can have scripts. */
const TYPES = {
  png: { mediaType: "image/png", start: /^\x89PNG\r\n\x1a\n/ },
  jpg: { mediaType: "image/jpeg", start: /^\xff\xd8\xff/ },
  gif: { mediaType: "image/gif", start: /^GIF8[79]a/ },
  webp: { mediaType: "image/webp", start: /^RIFF[\s\S]{4}WEBP/ },
} as const;
type Ending = keyof typeof TYPES;
const ENDINGS = Object.keys(TYPES) as Ending[];

/** Returns the ending of the address of a picture by its content, or null when it is none of these types. Pure. */
export function endingOf(bytes: Uint8Array): Ending | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  return ENDINGS.find((ending) => TYPES[ending].start.test(start)) ?? null;
}

/** Returns the last part of the public address of a picture. `file`: its id and ending. */
export function addressOf(workspaceId: string, file: string): string {
  const [id = "", ending] = file.split(".");
  return `${toBase64Url(bytesOfHex(workspaceId + id))}.${ending}`;
}

/** Returns the workspace and the file that an address names. Null: it cannot be one. Pure. */
export function readAddress(address: string) {
  const [, name = "", ending = ""] = /^([\w-]{43})\.([a-z]+)$/.exec(address) ?? [];
  const bytes = fromBase64Url(name);
  const known = ENDINGS.find((one) => one === ending);
  if (bytes?.length !== 32 || known === undefined) return null;
  const [workspaceId, id] = [uuidOf(bytes.subarray(0, 16)), uuidOf(bytes.subarray(16))];
  return { workspaceId, file: `${id}.${known}`, mediaType: TYPES[known].mediaType };
}
