import type { StatusItem } from "../../src/mail/imap/commands.ts";
import { noSuchFolder } from "./command-error.ts";
import { findMatches, SEPARATOR } from "./folder-matches.ts";
import type { FolderInfo } from "./mailbox.ts";
import { formatFolder } from "./responses.ts";
import { SelectedFolder } from "./selected-folder.ts";
import type { CommandOf, Completion, Session } from "./session.ts";

/** Attributes of the folders that each mailbox has (RFC 6154). */
const specialUses: Readonly<Record<string, string>> = {
  sent: "\\Sent",
  drafts: "\\Drafts",
  spam: "\\Junk",
  trash: "\\Trash",
  archive: "\\Archive",
};

/** Answers SELECT and EXAMINE. The folder that was selected is left, also when this one does not exist (RFC 3501 6.3.1). */
export async function runSelect(
  session: Session,
  { name, folder, condstore }: CommandOf<"SELECT"> | CommandOf<"EXAMINE">,
): Promise<Completion> {
  const isReadOnly = name === "EXAMINE";
  if (condstore) session.condstore = true;
  const selected = await session.select(
    folder,
    async () => new SelectedFolder(folder, isReadOnly, await session.mailbox.select(folder)),
  );
  const unseen = selected.firstUnseen;
  session.writer.lines([
    `* ${selected.size} EXISTS`,
    "* 0 RECENT",
    ...selected.describeFlags(),
    ...(unseen === null ? [] : [`* OK [UNSEEN ${unseen}] The first unseen message`]),
    `* OK [UIDVALIDITY ${selected.uidvalidity}] UIDs are valid`,
    `* OK [UIDNEXT ${selected.uidnext}] The next UID`,
    `* OK [HIGHESTMODSEQ ${selected.syncedModseq}] The last change`,
  ]);
  return { code: isReadOnly ? "READ-ONLY" : "READ-WRITE", text: `${name} is complete` };
}

/** Answers LIST with its selections and returns (RFC 5258, RFC 5819, RFC 6154). */
export async function runList(session: Session, command: CommandOf<"LIST">): Promise<Completion> {
  const { writer, syntax } = session;
  if (command.patterns.length === 1 && command.patterns[0] === "") {
    writer.lines([`* LIST (\\Noselect) "${SEPARATOR}" ""`]);
    return { text: "LIST is complete" };
  }
  const { folders, deletedSubscriptions } = await session.mailbox.folders();
  const deleted = command.onlySubscribed && !command.onlySpecialUse ? deletedSubscriptions : [];
  const isWanted = ({ isSubscribed, role }: FolderInfo) =>
    (!command.onlySubscribed || isSubscribed) && (!command.onlySpecialUse || specialUses[role ?? ""] !== undefined);
  const isSelecting = command.onlySubscribed || command.onlySpecialUse;
  for (const { name, folder } of findMatches(folders, command, deleted)) {
    const isDeleted = !folder && deleted.includes(name);
    const isBelow = (other: FolderInfo) => other.name.startsWith(`${name}${SEPARATOR}`);
    const hasWantedBelow = command.recursiveMatch && folders.some((other) => isBelow(other) && isWanted(other));
    if (!hasWantedBelow && (folder ? !isWanted(folder) : isSelecting && !isDeleted)) continue;
    const hasChildren = folders.some(isBelow);
    const attributes = [
      // RFC 5258 3.1: this implies \Noselect.
      ...(folder ? [] : [isDeleted ? "\\NonExistent" : "\\Noselect"]),
      hasChildren ? "\\HasChildren" : "\\HasNoChildren",
      ...(specialUses[folder?.role ?? ""] ? [specialUses[folder?.role ?? ""]] : []),
      ...(command.subscribed && (isDeleted || folder?.isSubscribed) ? ["\\Subscribed"] : []),
    ];
    const shown = formatFolder(name, syntax.allowsUtf8);
    const info = hasWantedBelow ? ` ("CHILDINFO" (${selectionsOf(command)}))` : "";
    writer.lines([`* LIST (${attributes.join(" ")}) "${SEPARATOR}" ${shown}${info}`]);
    if (folder && command.status.length > 0) writer.lines([formatStatus(session, folder, command.status)]);
  }
  return { text: "LIST is complete" };
}

/** Returns the selections that a folder below one must meet, as CHILDINFO names them (RFC 5258 3.5). */
function selectionsOf({ onlySubscribed, onlySpecialUse }: CommandOf<"LIST">): string {
  return [...(onlySubscribed ? ['"SUBSCRIBED"'] : []), ...(onlySpecialUse ? ['"SPECIAL-USE"'] : [])].join(" ");
}

/** Answers LSUB: the subscribed folders (RFC 3501 6.3.9). */
export async function runLsub(session: Session, command: CommandOf<"LSUB">): Promise<Completion> {
  const { folders, deletedSubscriptions } = await session.mailbox.folders();
  const subscribed = folders.filter(({ isSubscribed }) => isSubscribed);
  for (const { name, folder } of findMatches(subscribed, command, deletedSubscriptions)) {
    const attributes = folder ? "" : "\\Noselect";
    session.writer.lines([`* LSUB (${attributes}) "${SEPARATOR}" ${formatFolder(name, session.syntax.allowsUtf8)}`]);
  }
  return { text: "LSUB is complete" };
}

/** Answers STATUS. */
export async function runStatus(session: Session, { folder, items }: CommandOf<"STATUS">): Promise<Completion> {
  const { folders } = await session.mailbox.folders();
  const found = folders.find(({ name }) => name === folder);
  if (!found) throw noSuchFolder();
  session.writer.lines([formatStatus(session, found, items)]);
  return { text: "STATUS is complete" };
}

function formatStatus(session: Session, folder: FolderInfo, items: readonly StatusItem[]): string {
  if (items.includes("HIGHESTMODSEQ")) session.condstore = true;
  const values: Readonly<Record<StatusItem, number | string>> = {
    MESSAGES: folder.total,
    RECENT: 0,
    UIDNEXT: folder.uidnext,
    UIDVALIDITY: folder.uidvalidity,
    UNSEEN: folder.unseen,
    HIGHESTMODSEQ: folder.highestModseq,
    SIZE: folder.bytes,
    APPENDLIMIT: session.appendLimit,
  };
  const list = items.map((item) => `${item} ${values[item]}`).join(" ");
  return `* STATUS ${formatFolder(folder.name, session.syntax.allowsUtf8)} (${list})`;
}

/** Answers the commands that change the list of folders. */
export async function runFolderChange(
  session: Session,
  command:
    | CommandOf<"CREATE">
    | CommandOf<"DELETE">
    | CommandOf<"RENAME">
    | CommandOf<"SUBSCRIBE">
    | CommandOf<"UNSUBSCRIBE">,
): Promise<Completion> {
  const { mailbox } = session;
  const { name, folder } = command;
  if (name === "CREATE") await mailbox.call("create-folder", { folder: withoutSeparator(folder) });
  else if (name === "DELETE") await mailbox.call("delete-folder", { folder });
  else if (name === "RENAME")
    await mailbox.call("rename-folder", { folder, new_name: withoutSeparator(command.newName) });
  else await mailbox.call("subscribe", { folder, is_subscribed: name === "SUBSCRIBE" });
  return { text: `${command.name} is complete` };
}

/** A client announces by a separator at the end that it will create folders below (RFC 3501 6.3.3). */
const withoutSeparator = (name: string) => (name.endsWith(SEPARATOR) ? name.slice(0, -1) : name);

/** Answers GETQUOTA and GETQUOTAROOT: the mailbox is the one root (RFC 9208). */
export async function runQuota(
  session: Session,
  command: CommandOf<"GETQUOTA"> | CommandOf<"GETQUOTAROOT">,
): Promise<Completion> {
  const { used_bytes: usedBytes, quota_bytes: quotaBytes } = await session.mailbox.call("quota", {});
  const kibibytes = (bytes: number) => Math.ceil(bytes / 1024);
  const lines =
    command.name === "GETQUOTAROOT"
      ? [`* QUOTAROOT ${formatFolder(command.folder, session.syntax.allowsUtf8)} ""`]
      : [];
  const usage = quotaBytes === null ? "" : `STORAGE ${kibibytes(usedBytes)} ${Math.floor(quotaBytes / 1024)}`;
  session.writer.lines([...lines, `* QUOTA "" (${usage})`]);
  return { text: `${command.name} is complete` };
}
