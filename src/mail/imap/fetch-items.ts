import { type Cursor, ImapSyntaxError } from "./cursor.ts";

/** A part of a message's bytes that FETCH asks for (RFC 3501 6.4.5). */
export interface Section {
  /** The numbers of the part; empty: the message itself. */
  path: readonly number[];
  /** The piece of the part: its content, its header, fields of it, its text, or its own MIME header. */
  text: "content" | "header" | "fields" | "other-fields" | "text" | "mime";
  /** Field names as given, of `fields` and `other-fields`. */
  fields: readonly string[];
}

/** A data item of FETCH. */
export type FetchItem =
  | { item: "flags" | "uid" | "internaldate" | "size" | "envelope" | "body" | "bodystructure" | "modseq" }
  | {
      item: "section";
      /** As the response names it, without the first byte of a part of it. */
      name: string;
      section: Section;
      /** False: the message becomes seen. */
      peek: boolean;
      range: { from: number; length: number } | null;
    };

const FAST: readonly FetchItem[] = [{ item: "flags" }, { item: "internaldate" }, { item: "size" }];
const ALL: readonly FetchItem[] = [...FAST, { item: "envelope" }];
const macros: Readonly<Record<string, readonly FetchItem[]>> = {
  FAST,
  ALL,
  FULL: [...ALL, { item: "body" }],
};

const whole = (name: string, text: Section["text"], peek: boolean): FetchItem => ({
  item: "section",
  name,
  section: { path: [], text, fields: [] },
  peek,
  range: null,
});

/** The items that are written without a section. */
const plain: Readonly<Record<string, FetchItem>> = {
  FLAGS: { item: "flags" },
  UID: { item: "uid" },
  INTERNALDATE: { item: "internaldate" },
  "RFC822.SIZE": { item: "size" },
  ENVELOPE: { item: "envelope" },
  BODY: { item: "body" },
  BODYSTRUCTURE: { item: "bodystructure" },
  MODSEQ: { item: "modseq" },
  RFC822: whole("RFC822", "content", false),
  "RFC822.HEADER": whole("RFC822.HEADER", "header", true),
  "RFC822.TEXT": whole("RFC822.TEXT", "text", false),
};

const MAX_ITEMS = 50;
const MAX_FIELDS = 100;
const MAX_DEPTH = 100;

const isItemCharacter = (character: string) => /[A-Za-z0-9.]/.test(character);

/** Reads what FETCH asks for: a macro, an item, or items in parentheses. */
export function readFetchItems(cursor: Cursor): FetchItem[] {
  if (cursor.next !== "(") {
    const name = cursor.word(isItemCharacter, "what to fetch");
    return [...(macros[name.toUpperCase()] ?? [readItem(cursor, name)])];
  }
  const items = cursor.list(() => readItem(cursor, cursor.word(isItemCharacter, "what to fetch")));
  if (items.length > MAX_ITEMS) throw new ImapSyntaxError(`A FETCH asks for at most ${MAX_ITEMS} items`);
  return items;
}

function readItem(cursor: Cursor, word: string): FetchItem {
  const name = word.toUpperCase();
  if ((name !== "BODY" && name !== "BODY.PEEK") || !cursor.skip("[")) {
    const item = plain[name];
    if (!item) throw new ImapSyntaxError(`FETCH knows no ${name}`);
    return item;
  }
  const section = readSection(cursor);
  cursor.expect("]");
  const range = cursor.skip("<") ? readRange(cursor) : null;
  return { item: "section", name: `BODY[${toText(section)}]`, section, peek: name === "BODY.PEEK", range };
}

function readRange(cursor: Cursor) {
  const from = cursor.number();
  cursor.expect(".");
  const length = cursor.number();
  if (length === 0) throw new ImapSyntaxError("A part of 0 bytes cannot be fetched");
  cursor.expect(">");
  return { from, length };
}

const texts: readonly (readonly [string, Section["text"]])[] = [
  ["HEADER.FIELDS.NOT", "other-fields"],
  ["HEADER.FIELDS", "fields"],
  ["HEADER", "header"],
  ["TEXT", "text"],
  ["MIME", "mime"],
];

function readSection(cursor: Cursor): Section {
  const path: number[] = [];
  while (cursor.next >= "0" && cursor.next <= "9") {
    path.push(readPartNumber(cursor));
    if (!cursor.skip(".")) return { path, text: "content", fields: [] };
    if (path.length > MAX_DEPTH) throw new ImapSyntaxError("The part is nested too deeply");
  }
  if (cursor.next === "]" && path.length === 0) return { path, text: "content", fields: [] };
  const word = cursor.word(isItemCharacter, "a section").toUpperCase();
  const [, text] = texts.find(([name]) => name === word) ?? [];
  if (text === undefined || (text === "mime" && path.length === 0))
    throw new ImapSyntaxError(`A section cannot be ${word}`);
  return { path, text, fields: text === "fields" || text === "other-fields" ? readFields(cursor) : [] };
}

function readPartNumber(cursor: Cursor): number {
  const number = cursor.number();
  if (number === 0) throw new ImapSyntaxError("Parts are numbered from 1");
  return number;
}

function readFields(cursor: Cursor): string[] {
  cursor.expect(" ");
  const fields = cursor.list(() => cursor.astring());
  if (fields.length > MAX_FIELDS) throw new ImapSyntaxError(`A section names at most ${MAX_FIELDS} fields`);
  if (!fields.every((field) => /^[!-9;-~]+$/.test(field))) throw new ImapSyntaxError("A field name is malformed");
  return fields;
}

function toText({ path, text, fields }: Section): string {
  const [name] = texts.find(([, known]) => known === text) ?? [];
  const list = fields.length === 0 ? "" : ` (${fields.map(toAstring).join(" ")})`;
  return [...path.map(String), ...(name === undefined ? [] : [`${name}${list}`])].join(".");
}

const toAstring = (field: string) => (/^[^(){ %*"\\]+$/.test(field) ? field : `"${field.replace(/["\\]/g, "\\$&")}"`);
