import { utf8Length } from "./bytes.ts";

/** Characters that a name must not contain: control characters, and separators that break a line. */
export const UNSHOWABLE = /[\p{Cc}\u2028\u2029]/u;
/** Longest display name, in octets (decisions 1). */
export const NAME_OCTETS = 320;

/** Returns why a display name is refused, or null. */
export function nameFault(name: string): string | null {
  if (UNSHOWABLE.test(name)) return "A name must not contain control characters or line breaks";
  return utf8Length(name) > NAME_OCTETS ? `A name has at most ${NAME_OCTETS} octets` : null;
}
