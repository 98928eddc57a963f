import { contentOf, type Token, tokensOf } from "./tokens.ts";

/** A mailbox of an address field. */
export interface ListedMailbox {
  /** The words before its address, without quotes; encoded words are as they are written. Null: there are none. */
  phrase: string | null;
  /** The text of its last comment, which names an address without angle brackets. Null: there is none. */
  comment: string | null;
  /** Its address; null when the entry has none that can be read in one way only. */
  spec: AddrSpec | null;
}

/** An address. Its local part is without quotes, and may be none that `parseAddress` takes. The domain is empty where there is none. */
export interface AddrSpec {
  local: string;
  domain: string;
}

/** A group of an address field. */
export interface ListedGroup {
  group: string;
  members: ListedMailbox[];
}

/** Entries of one field that are read. */
const MAX_ENTRIES = 1_000;

/**
 * Reads an address field (RFC 5322 3.4, 4.4): mailboxes and groups in their order. This is the one reader of such fields, so that no two
 * parts of the service see different people: mailboxes, mail programs, DMARC and replies. Never throws. The time is that of the text.
 */
export function readAddressList(value: string): (ListedMailbox | ListedGroup)[] {
  const list: (ListedMailbox | ListedGroup)[] = [];
  let group: ListedGroup | null = null;
  let entry = emptyEntry();
  const endEntry = () => {
    const mailbox = readMailbox(entry.tokens);
    entry = emptyEntry();
    if (mailbox) (group?.members ?? list).push(mailbox);
  };
  let ends = 0;
  for (const token of tokensOf(value)) {
    // A comma within a route ends nothing.
    if (isSign(token, ";") || (isSign(token, ",") && !entry.isRoute)) {
      endEntry();
      if (isSign(token, ";")) group = null;
      if (++ends === MAX_ENTRIES) return list;
    } else if (isSign(token, ":") && group === null && entry.hasWord && !entry.hasAddress) {
      group = { group: textOf(entry.tokens), members: [] };
      list.push(group);
      entry = emptyEntry();
    } else addToken(entry, token);
  }
  endEntry();
  return list;
}

/** The tokens of an entry that are read so far, and what they tell about the next one. */
interface Entry {
  tokens: Token[];
  hasWord: boolean;
  hasAddress: boolean;
  isRoute: boolean;
  last: Token | null;
}

const emptyEntry = (): Entry => ({ tokens: [], hasWord: false, hasAddress: false, isRoute: false, last: null });

function addToken(entry: Entry, token: Token): void {
  entry.tokens.push(token);
  if (isBlank(token)) return;
  entry.hasWord ||= token.kind === "atom" || token.kind === "quoted";
  entry.hasAddress ||= isSign(token, "@") || isSign(token, "<");
  if (isSign(token, ">")) entry.isRoute = false;
  else if (isSign(token, "@") && entry.last !== null && isSign(entry.last, "<")) entry.isRoute = true;
  entry.last = token;
}

/** Returns the mailboxes of an address field, also those of groups. */
export const mailboxesOf = (value: string): ListedMailbox[] =>
  readAddressList(value).flatMap((entry) => ("members" in entry ? entry.members : [entry]));

/** Returns an address as text: its local part in quotes where it needs them (RFC 5322 3.4.1). */
export function formatSpec({ local, domain }: AddrSpec): string {
  const isPlain = /^[^\s"(),:;<>@[\\\]]+$/.test(local);
  return `${isPlain ? local : `"${local.replace(/["\\]/g, "\\$&")}"`}@${domain}`;
}

const isSign = ({ kind, text }: Token, sign: string) => kind === "sign" && text === sign;
const isBlank = ({ kind }: Token) => kind === "space" || kind === "comment";

/** Returns the words of an entry, without its comments. */
const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => (isBlank(token) ? " " : wordOf(token)))
    .join("")
    .replace(/\s+/g, " ")
    .trim();

const wordOf = (token: Token) => (token.kind === "quoted" ? contentOf(token) : token.text);

function readMailbox(entry: readonly Token[]): ListedMailbox | null {
  const words = entry.filter((token) => !isBlank(token));
  if (words.length === 0) return null;
  const lastComment = entry.findLast(({ kind }) => kind === "comment");
  const comment = lastComment ? contentOf(lastComment).trim() || null : null;
  const open = entry.findIndex((token) => isSign(token, "<"));
  if (open < 0) {
    const spec = readSpec(withoutRoute(entry));
    // Words without an at sign are a name, but one alone is a mailbox of the sender's own host.
    const isName = spec === null || (spec.domain === "" && words.some(({ kind }) => kind === "quoted"));
    return { phrase: isName ? textOf(entry) : null, comment, spec: isName ? null : spec };
  }
  const close = entry.findIndex((token) => isSign(token, ">"));
  const inside = entry.slice(open + 1, close < open ? undefined : close);
  const rest = close < open ? [] : entry.slice(close + 1);
  // A second address behind the first could be taken for the one that is meant.
  const isOnly = !rest.some((token) => token.kind === "quoted" || token.kind === "atom" || isSign(token, "<"));
  return {
    phrase: textOf(entry.slice(0, open)) || null,
    comment: null,
    spec: isOnly ? readSpec(withoutRoute(inside)) : null,
  };
}

/** Removes a source route, which no server follows (RFC 5322 4.4). */
function withoutRoute(tokens: readonly Token[]): readonly Token[] {
  const first = tokens.find((token) => !isBlank(token));
  const colon = tokens.findIndex((token) => isSign(token, ":"));
  return first && isSign(first, "@") && colon >= 0 ? tokens.slice(colon + 1) : tokens;
}

/**
 * Reads an address, with white space and comments around its words (RFC 5322 4.4). Null for one in which two words follow each other
 * without a dot, since others join them to another address.
 */
function readSpec(entry: readonly Token[]): AddrSpec | null {
  const tokens = entry.filter((token) => !isBlank(token));
  const at = tokens.findLastIndex((token) => isSign(token, "@"));
  const [local, domain] = at < 0 ? [tokens, []] : [tokens.slice(0, at), tokens.slice(at + 1)];
  if (local.length === 0 || ![...local, ...domain].every(isOfSpec)) return null;
  if (hasNeighbours(local) || hasNeighbours(domain) || domain.some(({ kind }) => kind === "quoted")) return null;
  return {
    local: local.map(wordOf).join(""),
    domain: domain.map(({ text }) => text).join(""),
  };
}

const isOfSpec = (token: Token) => token.kind !== "sign" || token.text === ".";
const hasNeighbours = (tokens: readonly Token[]) =>
  tokens.some((token, index) => token.kind !== "sign" && index > 0 && tokens[index - 1]?.kind !== "sign");
