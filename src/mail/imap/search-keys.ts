import { type Cursor, ImapSyntaxError } from "./cursor.ts";
import { readDate } from "./dates.ts";
import { readKeyword, type SystemFlag } from "./flags.ts";
import { readSequenceSet, type SequenceSet } from "./sequence-sets.ts";

/** A condition of SEARCH (RFC 3501 6.4.4). Dates are beginnings of days in ms since 1970. */
export type SearchKey =
  | { key: "all" | "none" }
  | { key: "flag"; flag: SystemFlag; isSet: boolean }
  | { key: "keyword"; keyword: string; isSet: boolean }
  | { key: "header"; name: string; value: string }
  | { key: "body" | "text"; value: string }
  | { key: "arrived" | "sent"; when: "before" | "on" | "since"; date: number }
  | { key: "larger" | "smaller"; bytes: number }
  | { key: "uids" | "numbers"; set: SequenceSet }
  | { key: "modseq"; least: number }
  | { key: "and" | "or"; keys: readonly SearchKey[] }
  | { key: "not"; of: SearchKey };

const MAX_DEPTH = 20;
const MAX_KEYS = 200;
const MAX_CHARACTERS = 10_000;

const flag = (name: SystemFlag, isSet: boolean): SearchKey => ({ key: "flag", flag: name, isSet });

/** Keys without an argument. No message is recent here, because the flag is not kept. */
const simple: Readonly<Record<string, SearchKey>> = {
  ALL: { key: "all" },
  ANSWERED: flag("\\Answered", true),
  DELETED: flag("\\Deleted", true),
  DRAFT: flag("\\Draft", true),
  FLAGGED: flag("\\Flagged", true),
  SEEN: flag("\\Seen", true),
  UNANSWERED: flag("\\Answered", false),
  UNDELETED: flag("\\Deleted", false),
  UNDRAFT: flag("\\Draft", false),
  UNFLAGGED: flag("\\Flagged", false),
  UNSEEN: flag("\\Seen", false),
  NEW: { key: "none" },
  RECENT: { key: "none" },
  OLD: { key: "all" },
};

const date = (key: "arrived" | "sent", when: "before" | "on" | "since") => (cursor: Cursor) =>
  ({ key, when, date: readDate(cursor) }) as const;
const header = (name: string) => (cursor: Cursor) => ({ key: "header", name, value: cursor.astring() }) as const;

/** Keys with one argument, which a space separates. */
const withArgument: Readonly<Record<string, (cursor: Cursor) => SearchKey>> = {
  BCC: header("Bcc"),
  CC: header("Cc"),
  FROM: header("From"),
  SUBJECT: header("Subject"),
  TO: header("To"),
  BODY: (cursor) => ({ key: "body", value: cursor.astring() }),
  TEXT: (cursor) => ({ key: "text", value: cursor.astring() }),
  KEYWORD: (cursor) => ({ key: "keyword", keyword: readKeyword(cursor), isSet: true }),
  UNKEYWORD: (cursor) => ({ key: "keyword", keyword: readKeyword(cursor), isSet: false }),
  BEFORE: date("arrived", "before"),
  ON: date("arrived", "on"),
  SINCE: date("arrived", "since"),
  SENTBEFORE: date("sent", "before"),
  SENTON: date("sent", "on"),
  SENTSINCE: date("sent", "since"),
  LARGER: (cursor) => ({ key: "larger", bytes: cursor.number() }),
  SMALLER: (cursor) => ({ key: "smaller", bytes: cursor.number() }),
  UID: (cursor) => ({ key: "uids", set: readSequenceSet(cursor) }),
  MODSEQ: readModificationSequence,
  HEADER: (cursor) => {
    const name = cursor.astring();
    cursor.expect(" ");
    return { key: "header", name, value: cursor.astring() };
  },
};

/** The entry that RFC 7162 3.1.5 allows before the number changes nothing here: each message has one number. */
function readModificationSequence(cursor: Cursor): SearchKey {
  if (cursor.next === '"') {
    cursor.string();
    cursor.expect(" ");
    cursor.atom();
    cursor.expect(" ");
  }
  return { key: "modseq", least: cursor.modificationSequence() };
}

/** Reads the conditions of SEARCH to the end of the command. Bounds: 200 conditions, 20 levels, texts of 10,000 characters in all. */
export function readSearchKeys(cursor: Cursor): SearchKey {
  const reader = new KeyReader(cursor);
  const keys = [reader.read(0)];
  while (cursor.skip(" ")) keys.push(reader.read(0));
  const [first] = keys;
  return keys.length === 1 && first ? first : { key: "and", keys };
}

class KeyReader {
  readonly #cursor: Cursor;
  #count = 0;
  #characters = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  read(depth: number): SearchKey {
    this.#count += 1;
    if (this.#count > MAX_KEYS) throw new ImapSyntaxError(`A SEARCH has at most ${MAX_KEYS} conditions`);
    if (depth > MAX_DEPTH) throw new ImapSyntaxError(`A SEARCH has at most ${MAX_DEPTH} levels`);
    const cursor = this.#cursor;
    if (cursor.next === "(") return { key: "and", keys: cursor.list(() => this.read(depth + 1)) };
    if (/[\d*]/.test(cursor.next)) return { key: "numbers", set: readSequenceSet(cursor) };
    const name = cursor.atom().toUpperCase();
    if (name === "NOT") return { key: "not", of: this.#readAfterSpace(depth) };
    if (name === "OR") return { key: "or", keys: [this.#readAfterSpace(depth), this.#readAfterSpace(depth)] };
    const without = simple[name];
    if (without) return without;
    const read = withArgument[name];
    if (!read) throw new ImapSyntaxError(`SEARCH knows no ${name}`);
    cursor.expect(" ");
    const key = read(cursor);
    this.#characters += "value" in key ? key.value.length : 0;
    if (this.#characters <= MAX_CHARACTERS) return key;
    throw new ImapSyntaxError(`A SEARCH has texts of at most ${MAX_CHARACTERS} characters`);
  }

  #readAfterSpace(depth: number): SearchKey {
    this.#cursor.expect(" ");
    return this.read(depth + 1);
  }
}

/** Returns a condition and all those within it. */
export function allKeys(key: SearchKey): SearchKey[] {
  const inner = key.key === "not" ? [key.of] : key.key === "and" || key.key === "or" ? key.keys : [];
  return [key, ...inner.flatMap(allKeys)];
}
