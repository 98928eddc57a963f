/** Limits and names of a mailbox (docs/contract/inbox.md#folders). Pure. */

/** The folders that every mailbox has, with their ids in its database. INBOX is written in capitals (RFC 9051 5.1). */
export const systemFolders = [
  { id: 1, name: "INBOX", role: "inbox" },
  { id: 2, name: "Sent", role: "sent" },
  { id: 3, name: "Drafts", role: "drafts" },
  { id: 4, name: "Spam", role: "spam" },
  { id: 5, name: "Trash", role: "trash" },
  { id: 6, name: "Archive", role: "archive" },
] as const;

export const limits = {
  /** Bytes of the name of a folder or label. */
  nameBytes: 255,
  /** Characters of a message that search covers and of its preview. */
  searchCharacters: 32_768,
  previewCharacters: 200,
  /** Words of a search. */
  words: 20,
  /** Matches that the total of a search counts. */
  countedMatches: 10_000,
} as const;

/** Days after which messages leave Trash and Spam, and after which a delivery is no longer known as repeated. */
export const KEPT_DAYS = 30;
/** Days for which an import that has ended is listed. */
export const IMPORT_DAYS = 30;
/** Delay from an expunge to the removal of the object: clients that do not know of the expunge can read it until then. In ms. */
export const REMOVAL_DELAY_MS = 3_600_000;

/** Returns the name of a system folder in its own letter case, any other name in NFC. */
export function folderName(name: string): string {
  const wanted = name.normalize("NFC");
  return systemFolders.find((folder) => folder.name.toLowerCase() === wanted.toLowerCase())?.name ?? wanted;
}

/** Returns the same text for names that differ in letter case only: a mailbox has at most one folder and label of these. */
export const nameKey = (name: string): string => name.normalize("NFC").toLowerCase();

/** Returns whether a name belongs to a system folder, in any letter case. */
export function isSystemFolder(name: string): boolean {
  return systemFolders.some((folder) => folder.name === folderName(name));
}

/**
 * Returns what is wrong with the name of a new folder or label, or null. `*` selects all folders in a search. "." and ".." are no
 * names: a client removes these segments of a URL, so the folder could not be renamed or deleted.
 */
export function nameIssue(name: string): string | null {
  const bytes = new TextEncoder().encode(name).byteLength;
  if (bytes < 1 || bytes > limits.nameBytes) return `name is ${bytes} bytes; it must have 1 to ${limits.nameBytes}`;
  if (name === "." || name === "..") return "name must not be . or ..";
  if (name !== name.trim()) return "name must not begin or end with a space";
  if (withoutForbidden(name) !== name) return "name must not contain control characters, * and \\";
  return null;
}

/** Returns a name without the characters that no name has. Persian and emoji need joiners, but only between two characters. */
export const withoutForbidden = (name: string): string =>
  name.replace(/(?!(?<=[^\s/])[\u200c\u200d](?=[^\s/]))[\p{Cc}\p{Cf}\u2028\u2029*\\]/gu, "");

/** Returns the next uidvalidity: greater than every one before it, and the time in seconds (RFC 9051 2.3.1.1). */
export const nextUidvalidity = (last: number, now: number): number => Math.max(last + 1, Math.floor(now / 1000));

const IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]/gu;

/** Separates ideographs, which the tokenizer would take as one word, so that each can be found. */
export const toSearchable = (text: string): string => text.replace(IDEOGRAPHS, " $& ");

const SEPARATED = new RegExp(` (${IDEOGRAPHS.source}) `, "gu");

/** Returns a text as it was before `toSearchable`. */
export const fromSearchable = (text: string): string => text.replace(SEPARATED, "$1");

/** The token of a folder in the search index. */
export const placeToken = (folderId: number): string => `folder${folderId}`;

/**
 * Returns the FTS5 query of a search: every word must match the beginning of a word of sender, recipients, subject or text,
 * and a phrase in quotation marks must match as it is. `folderId` null: all folders. Returns null when the text contains no
 * word. Every word is a quoted string, so no text of a caller is FTS5 syntax.
 */
export function toMatch(text: string, folderId: number | null): string | null {
  const terms: string[] = [];
  for (const [, phrase, word] of text.normalize("NFC").matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const term = toTerm(phrase ?? word ?? "", phrase !== undefined);
    if (term !== null) terms.push(term);
    if (terms.length === limits.words) break;
  }
  if (terms.length === 0) return null;
  const words = `{sender recipients subject body} : (${terms.join(" AND ")})`;
  return folderId === null ? words : `place : ${placeToken(folderId)} AND ${words}`;
}

function toTerm(text: string, isPhrase: boolean): string | null {
  // The tokenizer drops all other characters, and FTS5 refuses a prefix search for nothing.
  const words = toSearchable(text)
    .split(/[^\p{L}\p{N}\p{M}\p{Co}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return null;
  return `"${words.join(" ")}"${isPhrase ? "" : "*"}`;
}
