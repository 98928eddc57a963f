import { type FilterAction, type FilteredMessage, type FilterOutcome, filterBy, listIdTexts } from "./filter-rules.ts";
import { activeFilters } from "./filters.ts";
import { setFlags } from "./flags.ts";
import { type FolderRow, findFolder } from "./folders.ts";
import { changeLabels } from "./labels.ts";
import { column, first, type Sql } from "./sql.ts";
import type { NewMessage, Person } from "./types.ts";

/** Returns what the filters of a mailbox do with a message that arrives, or null when it has none. Reads no R2 object. */
export function filterArrived(sql: Sql, message: NewMessage): FilterOutcome | null {
  const filters = activeFilters(sql);
  return filters.length === 0 ? null : filterBy(filters)(toFiltered(message, message.listId ?? null));
}

type Filterable = Pick<NewMessage, "from" | "to" | "cc" | "subject" | "size" | "deliveredTo">;

/** Returns what conditions are compared with. */
export const toFiltered = (message: Filterable, listId: string | null): FilteredMessage => ({
  from: textsOf([message.from]),
  to: [...(message.deliveredTo ? [message.deliveredTo] : []), ...textsOf([...message.to, ...message.cc])],
  subject: [message.subject],
  list_id: listIdTexts(listId),
  size: message.size,
});

const textsOf = (people: readonly (Person | null)[]) =>
  people.flatMap((person) =>
    [person?.email, person?.name].filter((text) => typeof text === "string" && text !== ""),
  ) as string[];

/** Returns the folder that an outcome places a message in, or null when it stays: also when its folder was deleted. */
export function placeOf(sql: Sql, placement: FilterOutcome["placement"]): FolderRow | null {
  if (placement === null) return null;
  return placement === "discard" ? findFolder(sql, "Trash") : findTarget(sql, placement);
}

// A folder that was renamed keeps its id; one that was deleted and made again has another.
const findTarget = (sql: Sql, { folderId, folder }: Extract<FilterAction, { type: "move" }>): FolderRow | null =>
  first<FolderRow>(sql, "SELECT * FROM folders WHERE id = ?", folderId) ?? findFolder(sql, folder);

/** Sets flags and labels of messages of a folder, by the functions that all clients use. Labels that were deleted are left out. */
export function markMessages(
  sql: Sql,
  folder: string,
  uids: readonly number[],
  { flagged, seen, labelIds }: Pick<FilterOutcome, "flagged" | "seen" | "labelIds">,
): void {
  if (flagged || seen) setFlags(sql, folder, uids, { ...(flagged ? { flagged } : {}), ...(seen ? { seen } : {}) });
  if (labelIds.length === 0) return;
  const find = "SELECT id FROM labels WHERE id IN (SELECT value FROM json_each(?))";
  const known = column<string>(sql, find, JSON.stringify(labelIds));
  if (known.length > 0) changeLabels(sql, folder, uids, known, "add");
}
