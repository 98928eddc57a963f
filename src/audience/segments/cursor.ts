import { Buffer } from "node:buffer";
import * as z from "zod";

/** The cursor of a list of people: an address as base64url, so that no address is in a URL as it is. */

/** Returns the cursor that continues after an address. */
export const cursorOf = (address: string) => Buffer.from(address).toString("base64url");

/** The query parameter that continues a list of people. */
export const ContactsAfter = z
  .string()
  .max(1_000)
  .regex(/^[A-Za-z0-9_-]*$/, "after must be the value of a Link header")
  .transform((text) => Buffer.from(text, "base64url").toString())
  .optional()
  .meta({ type: "string", maxLength: 1_000 })
  .describe("Cursor from the `Link` header of the previous page.");
