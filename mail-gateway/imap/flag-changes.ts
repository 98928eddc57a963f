import type { FlagChange, MessageState } from "./mailbox.ts";

type Flags = Pick<MessageState, "flags" | "keywords">;

const namesOf = ({ flags, keywords }: Flags): Set<string> =>
  new Set([...flags, ...keywords].map((name) => name.toLowerCase()));

/** Returns the names of a message's flags after a change, in lower case. */
export function changeFlags(message: Flags, { mode, flags }: Pick<FlagChange, "mode" | "flags">): Set<string> {
  const changed = mode === "replace" ? new Set<string>() : namesOf(message);
  for (const name of namesOf(flags))
    if (mode === "remove") changed.delete(name);
    else changed.add(name);
  return changed;
}

/** Returns whether a message has these flags and no others. */
export function hasSameFlags(message: Flags, names: ReadonlySet<string>): boolean {
  const own = namesOf(message);
  return own.size === names.size && [...own].every((name) => names.has(name));
}
