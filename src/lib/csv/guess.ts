import { parseAddress } from "../../lib/addresses.ts";
import { words } from "../../lib/words.ts";
import { type ColumnUse, type ColumnUses, firstAddress } from "./columns.ts";

/**
 * Guesses the uses of columns by their headers, as Mailchimp, Brevo, SendGrid, Resend, listmonk and HubSpot write them in English, and as
 * people write them in some other languages. Pure.
 */

/** Headers of a use in lower case, without spaces, hyphens and underscores. */
const HEADERS = {
  email: ["email", "emailaddress", "emailadresse", "adresseemail", "correoelectrónico", "メールアドレス"],
  name: ["name", "fullname"],
  first_name: ["firstname", "fname", "givenname", "vorname", "prénom", "nombre", "名"],
  last_name: ["lastname", "lname", "surname", "familyname", "nachname", "familienname", "nom", "apellidos", "姓"],
} satisfies Partial<Record<NonNullable<ColumnUse>, readonly string[]>>;

/** Header of the column with the reasons in a file of refused rows. It is left out when they are imported again. */
export const REASON_COLUMN = "refused because";

/** Headers of columns that say who left, also by the time of it. */
const STATES = words(`
  status memberstatus emailmarketing unsubscribed unsubtime unsubscribedat unsubscribedfromallemail portalunsubscribe
  portalbounce portalspamreport blocklisted`);

/** A row that is no valid CSV is null. */
type Rows = readonly (readonly string[] | null)[];

const plain = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, "");

/** Returns the uses of the columns that it knows. `saysWhoLeft`: whether all of these cells say if a person left. */
export function guessUses(
  header: readonly string[],
  rows: Rows,
  saysWhoLeft: (cells: readonly string[]) => boolean,
): ColumnUses {
  const uses = Object.entries(HEADERS).flatMap(([use, names]) => {
    const found = header.find((name) => names.includes(plain(name)));
    return found === undefined ? [] : [[found, use]];
  });
  const states = header.flatMap((name, position) =>
    STATES.includes(plain(name)) && saysWhoLeft(cellsOf(rows, position)) ? [[name, "unsubscribed"]] : [],
  );
  const reasons = header.filter((name) => name === REASON_COLUMN).map((name) => [name, null]);
  return { ...guessEmail(header, rows), ...Object.fromEntries([...uses, ...states, ...reasons]) };
}

/** Returns the column of addresses, by its header, or by its cells when no header is known. */
export function guessEmail(header: readonly string[], rows: Rows): ColumnUses {
  const email =
    header.find((name) => HEADERS.email.includes(plain(name))) ??
    header.find((_, position) => {
      const cells = cellsOf(rows, position);
      return cells.length > 0 && cells.every((cell) => parseAddress(firstAddress(cell)) !== null);
    });
  return email === undefined ? {} : { [email]: "email" };
}

const cellsOf = (rows: Rows, position: number) => rows.flatMap((row) => row?.[position] || []);
