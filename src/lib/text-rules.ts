import { utf8Length } from "./bytes.ts";

/** What no name can show: control characters and the separators that break a line. */
export const UNSHOWABLE = /[\p{Cc}\u2028\u2029]/u;
/** Longest display name, in octets. */
export const NAME_OCTETS = 320;

/** Why a display name is refused; null when it may go out. */
export function nameFault(name: string): string | null {
  if (UNSHOWABLE.test(name)) return "A name must not contain control characters or line breaks";
  return utf8Length(name) > NAME_OCTETS ? `A name has at most ${NAME_OCTETS} octets` : null;
}
