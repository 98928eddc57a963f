import type { Person } from "../../mailboxes/mailbox-store/index.ts";

/** Names that a row shows of a conversation: the first and the last ones. */
const MAX_NAMES = 3;

/** Returns the name of a person, or the address; `me` for the mailbox itself. */
export const nameOrMe = ({ name, email }: Person, own: string): string =>
  email.toLowerCase() === own.toLowerCase() ? "me" : (name ?? email);

/** Returns who wrote a conversation, oldest first: the whole name of one, the first names of several. */
export function namesOf(people: readonly Person[], own: string): string {
  if (people.length <= 1) return people.map((person) => nameOrMe(person, own)).join("");
  const names = people.map((person) => firstWord(nameOrMe(person, own)));
  if (names.length <= MAX_NAMES) return names.join(", ");
  return [names[0], "…", ...names.slice(1 - MAX_NAMES)].join(", ").replace(", …,", " …");
}

const firstWord = (name: string): string => name.split("@")[0]?.split(/[\s,]+/)[0] ?? name;
