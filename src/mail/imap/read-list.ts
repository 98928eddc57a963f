import { type ListCommand, type StatusItem, statusItems } from "./commands.ts";
import { type Cursor, ImapSyntaxError } from "./cursor.ts";
import { afterSpace, readPattern, requireShort, type Syntax, toFolder } from "./read-folder.ts";

/** Reads LIST with its selections and returns (RFC 5258). */
export function readList(cursor: Cursor, syntax: Syntax): ListCommand {
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

function readListReturns(
  cursor: Cursor,
  returns: { children: boolean; subscribed: boolean; status: StatusItem[] },
): void {
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

/** Reads what STATUS tells. */
export function readStatusItems(cursor: Cursor): StatusItem[] {
  return cursor.list(() => {
    const name = cursor.atom().toUpperCase();
    const item = statusItems.find((known) => known === name);
    if (!item) throw new ImapSyntaxError(`STATUS knows no ${name}`);
    return item;
  });
}
