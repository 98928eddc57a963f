import { initialsOf } from "./initials.ts";

/** Number of colours in client/styles/webmail.css. */
const TINTS = 6;

/** The initials of a person in a circle, whose colour is that of the address. The name beside it says the same. */
export const Avatar = ({ name, email }: { name: string | null; email: string }) => (
  <span class={`avatar tint-${tintOf(email)}`} data-initials={initialsOf({ name, email })} aria-hidden="true" />
);

const tintOf = (email: string): number =>
  Array.from(email.toLowerCase()).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % TINTS;
