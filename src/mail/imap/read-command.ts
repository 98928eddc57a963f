import {
  type AppendCommand,
  type Command,
  type FetchCommand,
  folderNames,
  type ListCommand,
  plainNames,
  type SearchCommand,
  type SearchResult,
  type StatusItem,
  type StoreCommand,
  searchResults,
  statusItems,
} from "./commands.ts";
import { type Cursor, ImapError, ImapSyntaxError } from "./cursor.ts";
import { readDateTime } from "./dates.ts";
import { readFetchItems } from "./fetch-items.ts";
import { type FlagList, readFlagList, readStoreFlags } from "./flags.ts";
import { afterSpace, readFolder, readPattern, requireShort, type Syntax, toFolder } from "./read-folder.ts";
import { allKeys, readSearchKeys } from "./search-keys.ts";
import { readSequenceSet } from "./sequence-sets.ts";

type Reader = (cursor: Cursor, syntax: Syntax) => Command;

/** Readers of what follows a command's name. */
const readers: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(plainNames.map((name): [string, Reader] => [name, () => ({ name })])),
  ...Object.fromEntries(
    folderNames.map((name): [string, Reader] => [
      name,
      (cursor, syntax) => ({ name, folder: readFolder(cursor, syntax) }),
    ]),
  ),
  EXPUNGE: () => ({ name: "EXPUNGE", set: null }),
  ID: readId,
  LOGIN: (cursor) => {
    const username = afterSpace(cursor, () => cursor.astring());
    return { name: "LOGIN", username, password: afterSpace(cursor, () => cursor.astring()) };
  },
  AUTHENTICATE: (cursor) => {
    const mechanism = afterSpace(cursor, () => cursor.atom()).toUpperCase();
    const isBase64 = (character: string) => /[A-Za-z0-9+/=]/.test(character);
    return { name: "AUTHENTICATE", mechanism, initial: cursor.skip(" ") ? cursor.word(isBase64, "base64") : null };
  },
  ENABLE: (cursor) => {
    const capabilities = [afterSpace(cursor, () => cursor.atom().toUpperCase())];
    while (cursor.skip(" ")) capabilities.push(cursor.atom().toUpperCase());
    return { name: "ENABLE", capabilities };
  },
  SELECT: (cursor, syntax) => readSelect(cursor, syntax, "SELECT"),
  EXAMINE: (cursor, syntax) => readSelect(cursor, syntax, "EXAMINE"),
  GETQUOTA: (cursor) => ({ name: "GETQUOTA", root: afterSpace(cursor, () => cursor.astring()) }),
  RENAME: (cursor, syntax) => {
    const folder = readFolder(cursor, syntax);
    return { name: "RENAME", folder, newName: readFolder(cursor, syntax) };
  },
  LSUB: (cursor, syntax) => {
    const reference = readFolder(cursor, syntax);
    const patterns = [afterSpace(cursor, () => readPattern(cursor, syntax))];
    requireShort(reference, patterns);
    return { name: "LSUB", reference, patterns };
  },
  LIST: (cursor, syntax) => readList(cursor, syntax),
  STATUS: (cursor, syntax) => {
    const folder = readFolder(cursor, syntax);
    return { name: "STATUS", folder, items: afterSpace(cursor, () => readStatusItems(cursor)) };
  },
  APPEND: (cursor, syntax) => readAppend(cursor, syntax),
  UID: (cursor, syntax) => {
    const name = afterSpace(cursor, () => cursor.atom()).toUpperCase();
    if (name === "EXPUNGE") return { name, set: afterSpace(cursor, () => readSequenceSet(cursor)) };
    const read = messageReaders[name];
    if (!read) throw new ImapSyntaxError(`UID ${name} does not exist`);
    return read(cursor, syntax, true);
  },
};

/** Readers of commands on messages, which are named by their numbers or, after UID, by their UIDs. */
const messageReaders: Readonly<Record<string, (cursor: Cursor, syntax: Syntax, byUid: boolean) => Command>> = {
  COPY: (cursor, syntax, byUid) => readCopy(cursor, syntax, "COPY", byUid),
  MOVE: (cursor, syntax, byUid) => readCopy(cursor, syntax, "MOVE", byUid),
  FETCH: (cursor, _, byUid) => readFetch(cursor, byUid),
  STORE: (cursor, _, byUid) => readStore(cursor, byUid),
  SEARCH: (cursor, _, byUid) => readSearch(cursor, byUid),
};

/** Reads the tag of a command (RFC 3501 9). */
export function readTag(cursor: Cursor): string {
  const isTagCharacter = (character: string) =>
    character > " " && character < "\x7f" && !'(){%*"\\+'.includes(character);
  return cursor.word(isTagCharacter, "a tag");
}

/** Reads a command after its tag, to its end. Throws ImapSyntaxError and ImapError. Of APPEND the message is no part of it. */
export function readCommand(cursor: Cursor, syntax: Syntax): Command {
  const name = afterSpace(cursor, () => cursor.atom()).toUpperCase();
  const read = readers[name] ?? messageReaders[name];
  if (!read) throw new ImapSyntaxError("Unknown command");
  const command = read(cursor, syntax, false);
  cursor.expectEnd();
  return command;
}

function readId(cursor: Cursor): Command {
  cursor.expect(" ");
  if (cursor.next === "(") cursor.list(() => cursor.nstring(), { mayBeEmpty: true });
  else cursor.nstring();
  return { name: "ID" };
}

function readSelect(cursor: Cursor, syntax: Syntax, name: "SELECT" | "EXAMINE"): Command {
  const folder = readFolder(cursor, syntax);
  const parameters = cursor.skip(" ") ? cursor.list(() => cursor.atom().toUpperCase()) : [];
  if (!parameters.every((parameter) => parameter === "CONDSTORE"))
    throw new ImapSyntaxError(`${name} knows the parameter CONDSTORE only`);
  return { name, folder, condstore: parameters.length > 0 };
}

/** Reads APPEND up to its message. With UTF8 the message is the literal after `UTF8 (` (RFC 6855 4). */
function readAppend(cursor: Cursor, syntax: Syntax): AppendCommand {
  const folder = readFolder(cursor, syntax);
  cursor.expect(" ");
  let flags: FlagList = { flags: [], keywords: [] };
  if (cursor.next === "(") {
    flags = readFlagList(cursor);
    cursor.expect(" ");
  }
  let date: number | null = null;
  if (cursor.next === '"') {
    date = readDateTime(cursor);
    cursor.expect(" ");
  }
  if (syntax.allowsUtf8) cursor.skip("UTF8 (");
  return { name: "APPEND", folder, flags, date };
}

function readCopy(cursor: Cursor, syntax: Syntax, name: "COPY" | "MOVE", byUid: boolean): Command {
  const set = afterSpace(cursor, () => readSequenceSet(cursor));
  return { name, byUid, set, folder: readFolder(cursor, syntax) };
}

function readFetch(cursor: Cursor, byUid: boolean): FetchCommand {
  const set = afterSpace(cursor, () => readSequenceSet(cursor));
  const items = afterSpace(cursor, () => readFetchItems(cursor));
  let changedSince: number | null = null;
  if (cursor.skip(" ")) {
    cursor.expect("(CHANGEDSINCE ");
    changedSince = cursor.modificationSequence();
    cursor.expect(")");
  }
  return { name: "FETCH", byUid, set, items, changedSince };
}

function readStore(cursor: Cursor, byUid: boolean): StoreCommand {
  const set = afterSpace(cursor, () => readSequenceSet(cursor));
  cursor.expect(" ");
  let unchangedSince: number | null = null;
  if (cursor.skip("(")) {
    cursor.expect("UNCHANGEDSINCE ");
    unchangedSince = cursor.modificationSequence();
    cursor.expect(") ");
  }
  const mode = cursor.skip("+") ? "add" : cursor.skip("-") ? "remove" : "replace";
  cursor.expect("FLAGS");
  const silent = cursor.skip(".SILENT");
  const flags = afterSpace(cursor, () => readStoreFlags(cursor));
  return { name: "STORE", byUid, set, mode, silent, flags, unchangedSince };
}

function readSearch(cursor: Cursor, byUid: boolean): SearchCommand {
  cursor.expect(" ");
  const results = cursor.skip("RETURN ") ? readSearchResults(cursor) : null;
  if (cursor.skip("CHARSET ")) {
    const charset = cursor.astring().toUpperCase();
    if (charset !== "UTF-8" && charset !== "US-ASCII")
      throw new ImapError("The character set is not known", "BADCHARSET (US-ASCII UTF-8)");
    cursor.expect(" ");
  }
  const key = readSearchKeys(cursor);
  // RFC 7162 3.1.5
  const wantsModificationSequence = allKeys(key).some((one) => one.key === "modseq");
  return { name: "SEARCH", byUid, results, key, wantsModificationSequence };
}

function readSearchResults(cursor: Cursor): SearchResult[] {
  const results = cursor.list(() => readOneOf(cursor, searchResults, "SEARCH returns no"), { mayBeEmpty: true });
  cursor.expect(" ");
  return results.length === 0 ? ["ALL"] : [...new Set(results)];
}

/** Reads LIST with its selections and returns (RFC 5258). */
function readList(cursor: Cursor, syntax: Syntax): ListCommand {
  cursor.expect(" ");
  const selects = cursor.next === "(" ? cursor.list(() => cursor.atom().toUpperCase(), { mayBeEmpty: true }) : null;
  if (selects) cursor.expect(" ");
  const known = ["SUBSCRIBED", "REMOTE", "RECURSIVEMATCH", "SPECIAL-USE"];
  if (selects?.some((option) => !known.includes(option))) throw new ImapSyntaxError("LIST does not know this option");
  if (
    selects?.includes("RECURSIVEMATCH") &&
    !selects.some((option) => option === "SUBSCRIBED" || option === "SPECIAL-USE")
  )
    throw new ImapSyntaxError("RECURSIVEMATCH needs SUBSCRIBED or SPECIAL-USE");
  const reference = toFolder(cursor.astring(), syntax.allowsUtf8);
  const patterns = afterSpace(cursor, () =>
    cursor.next === "(" ? cursor.list(() => readPattern(cursor, syntax)) : [readPattern(cursor, syntax)],
  );
  requireShort(reference, patterns);
  const returns = { children: false, subscribed: false, status: [] as StatusItem[] };
  if (cursor.skip(" ")) readListReturns(cursor, returns);
  const onlySubscribed = selects?.includes("SUBSCRIBED") ?? false;
  return {
    name: "LIST",
    reference,
    patterns,
    onlySubscribed,
    onlySpecialUse: selects?.includes("SPECIAL-USE") ?? false,
    recursiveMatch: selects?.includes("RECURSIVEMATCH") ?? false,
    ...returns,
    subscribed: returns.subscribed || onlySubscribed,
  };
}

function readListReturns(cursor: Cursor, returns: { children: boolean; subscribed: boolean; status: StatusItem[] }) {
  cursor.expect("RETURN ");
  cursor.list(
    () => {
      const option = cursor.atom().toUpperCase();
      if (option === "CHILDREN") returns.children = true;
      else if (option === "SUBSCRIBED") returns.subscribed = true;
      else if (option === "STATUS") returns.status = afterSpace(cursor, () => readStatusItems(cursor));
      else if (option !== "SPECIAL-USE") throw new ImapSyntaxError("LIST does not know this return option");
    },
    { mayBeEmpty: true },
  );
}

/** Reads what STATUS tells, each item once: a response may be as long for each folder as the command. */
function readStatusItems(cursor: Cursor): StatusItem[] {
  return [...new Set(cursor.list(() => readOneOf(cursor, statusItems, "STATUS knows no")))];
}

/** Reads an atom that must be one of some names. */
function readOneOf<Name extends string>(cursor: Cursor, names: readonly Name[], error: string): Name {
  const atom = cursor.atom().toUpperCase();
  const name = names.find((known) => known === atom);
  if (name === undefined) throw new ImapSyntaxError(`${error} ${atom}`);
  return name;
}
