import { ADDRESS } from "./values.ts";

/** Lines kept as what stands beside an address, and recipients read of one text. */
const MAX_WORDS = 12;
const MAX_LISTED = 200;

/** Lines that name a recipient who failed. `words`: what the line says beside the address. */
const SHAPES: readonly { system: string; line: RegExp }[] = [
  // Alone on its line: Exim, Gmail, Exchange 2007, IIS, Notes, sendmail; with a colon: qmail, Yahoo, Courier.
  { system: "exim, qmail", line: new RegExp(`^[\\s*]*<?(?<address>${ADDRESS})>?:?[\\s*]*$`, "u") },
  {
    system: "exchange 2010",
    line: new RegExp(
      `^\\s*(?!.*\\b(?:contact|help|support|questions|assistance|sender|from|by)\\b)[^@<>]{1,80}[<(\\[](?:mailto:)?(?<address>${ADDRESS})[>)\\]][\\s*]*$`,
      "iu",
    ),
  },
  { system: "postfix", line: new RegExp(`^\\s*<(?<address>${ADDRESS})>(?: \\([^()]*\\))?: +(?<words>.+)$`, "u") },
  { system: "exim", line: new RegExp(`^\\s{1,4}(?<address>${ADDRESS})(?: <[^<>]*>)?: +(?<words>.+)$`, "u") },
  { system: "exchange 2003", line: new RegExp(`^\\s*(?<address>${ADDRESS}) on \\w{2,9},? .{5,60}$`, "u") },
  {
    system: "sendmail",
    line: new RegExp(`^(?<words>\\d{3}[ -](?:\\d\\.\\d\\.\\d )?<?(?<address>${ADDRESS})>?\\.\\.\\. .+)$`, "u"),
  },
  { system: "groupwise", line: new RegExp(`^\\s*(?<address>${ADDRESS}) \\((?<words>.+)\\)$`, "u") },
  {
    system: "labelled",
    line: new RegExp(
      `^\\s*(?:final-recipient|original-recipient|(?:failed |intended )?recipient(?: address)?|unknown user|user unknown|addressee) ?: *(?:rfc822; *)?<?(?<address>${ADDRESS})>?(?<words>.*)$`,
      "iu",
    ),
  },
  { system: "smail", line: new RegExp(`^\\s*<(?<address>${ADDRESS})> \\.\\.\\. (?<words>.+)$`, "u") },
];

/** What stands before the address of somebody who is no recipient. */
const OF_ANOTHER = /(?:sent by|message from|sender(?: is)?|contact|from|reply to|on behalf of):?$/i;
/** Lines that say nothing of the recipient above them. */
const NOISE = /^\s*(?:[-*=_|#]{3,}|generating server:|message-id:|subject:|to:|sent:|date:|>>> )/i;

/**
 * Recipients that a report lists, each with the words that stand beside and below it; one that is listed again
 * adds words only.
 */
export function listedRecipients(lines: readonly string[]): { recipient: string; words: string }[] {
  const found = new Map<string, { recipient: string; before: string; words: string[] }>();
  let current: { words: string[] } | null = null;
  let before = "";
  for (const line of lines) {
    const isNoise = NOISE.test(line);
    const shape = line.includes("@") && !isNoise && !OF_ANOTHER.test(before) ? shapeOf(line) : null;
    if (shape) {
      const key = shape.address.toLowerCase();
      const entry = found.get(key) ?? { recipient: shape.address, before, words: [] };
      if (found.size >= MAX_LISTED && !found.has(key)) break;
      found.set(key, entry);
      entry.words.push(shape.words);
      current = entry;
    } else if (current && line !== "" && current.words.length < MAX_WORDS && !isNoise) {
      current.words.push(line);
    }
    if (line.trim() !== "") before = line.trim();
  }
  return [...found.values()].map(({ recipient, before: heading, words }) => {
    const own = words.join(" ").trim();
    // Notes gives the reason above the address.
    return { recipient, words: own === "" && givesReason(heading) ? heading : own };
  });
}

const CODE = /(?<![\d.])[45]\d\d[ -]|(?<![\d.])[45]\.[0-7]\.\d/;
const REASON = /unknown|no such|not exist|not found|not listed|full|quota|disabled/i;

/** Whether a line has a reply code (RFC 5321 4.2) or an enhanced one (RFC 3463). */
export function hasCode(line: string): boolean {
  return CODE.test(line);
}

/** Whether a line gives a reason, rather than an introduction to one. */
export function givesReason(line: string): boolean {
  return hasCode(line) || REASON.test(line);
}

function shapeOf(line: string): { address: string; words: string } | null {
  // A long indent means no more than a short one, and is dearer.
  const indented = line.replace(/^\s{5,}/, "    ");
  for (const shape of SHAPES) {
    const groups = shape.line.exec(indented)?.groups;
    if (groups?.address) return { address: groups.address, words: groups.words ?? "" };
  }
  return null;
}
