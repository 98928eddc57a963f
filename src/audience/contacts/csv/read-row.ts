import type { Columns } from "../../../lib/csv/columns.ts";
import { type LeftOutRow, quoted, readAddress } from "../../../lib/csv/rows.ts";
import { jsonSizeIssue } from "../../../lib/object-field.ts";
import { nameIssue, removeInvisible } from "../../../lib/text-rules.ts";
import { readLeft, type SuppressionEntry } from "../../../sending/suppressions/index.ts";
import { type ImportedChoice, readChoice } from "../../../sending/topics/index.ts";
import type { ContactValues } from "../find-sample-contact.ts";
import { limits } from "../rules.ts";

/** A contact, why its person gets no mail, and the choices about topics. */
interface ContactRow {
  contact: ContactValues;
  left: Pick<SuppressionEntry, "reason" | "at"> | null;
  choices: ImportedChoice[];
}

/** Reads the cells of a row (docs/contract/contacts.md#csv-import). `now` in milliseconds since 1970. */
export function readRow(
  cells: readonly string[],
  width: number,
  columns: Columns,
  now: number,
): ContactRow | LeftOutRow {
  const row = readAddress(cells, width, columns.email);
  if (!("address" in row)) return row;
  const { address, cell } = row;
  const name = nameOf(columns, cell);
  const metadata = metadataOf(columns, cell);
  const issue = nameIssue(name ?? "") ?? jsonSizeIssue("metadata", metadata ?? "", limits.metadataBytes);
  if (issue) return { issue };
  const contact = { email: address.address, key: address.key, name, metadata };
  const states = columns.unsubscribed.map((position) => readLeft(cell(position), now));
  const unread = columns.unsubscribed[states.indexOf(undefined)];
  if (unread !== undefined) return { issue: `${quoted(cell(unread))} does not say whether the person left` };
  const choices = columns.topics.map(({ position, id }) => ({
    id,
    email: address.key,
    choice: readChoice(cell(position)),
  }));
  const open = columns.topics[choices.findIndex(({ choice }) => choice === undefined)];
  if (open) return { issue: `${quoted(cell(open.position))} is no choice about a topic: yes or no` };
  const [first, ...others] = states.filter((state) => state !== null && state !== undefined);
  // The first says why, and another may say when.
  const left = first ? { ...first, at: first.at ?? others.find(({ at }) => at !== undefined)?.at } : null;
  return {
    contact,
    left,
    choices: choices.flatMap(({ choice, ...one }) => (choice ? [{ ...one, choice }] : [])),
  };
}

type Cell = (position: number) => string;

/** Returns the name that the first columns have which are not empty. */
function nameOf({ names }: Columns, cell: Cell): string | null {
  const found = names.map((parts) =>
    parts.flatMap((position) => removeInvisible(cell(position)).trim() || []).join(" "),
  );
  return found.find((name) => name !== "") ?? null;
}

/** Returns the JSON of the cells that are not empty. */
function metadataOf(columns: Columns, cell: Cell): string | null {
  const entries = columns.metadata.flatMap(({ position, key }) => {
    const value = cell(position);
    return value === "" ? [] : [`${JSON.stringify(key)}:${JSON.stringify(value)}`];
  });
  return entries.length > 0 ? `{${entries.join()}}` : null;
}
