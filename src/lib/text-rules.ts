import { utf8Length } from "./bytes.ts";

/** Control characters and line separators, which no name may contain. */
export const UNPRINTABLE = /[\p{Cc}\u2028\u2029]/u;
/** Greatest length of a display name, in octets of UTF-8 (decisions 1). */
export const NAME_OCTETS = 320;

/** Returns why a display name is refused, or null when it is valid. */
export function nameFault(name: string): string | null {
  if (UNPRINTABLE.test(name)) return "A name must not contain control characters or line breaks";
  return utf8Length(name) > NAME_OCTETS ? `A name has at most ${NAME_OCTETS} octets` : null;
}
