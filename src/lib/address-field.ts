import * as z from "zod";
import { type Address, parseAddress } from "./addresses.ts";

/** The field `email` of a request: an address in any spelling that `parseAddress` takes. */
export const addressField = z
  .string()
  .max(1000)
  .transform((text, context): Address => {
    const address = parseAddress(text);
    if (address) return address;
    context.addIssue({ code: "custom", message: "email must be a valid email address" });
    return z.NEVER;
  })
  .meta({ minLength: 3, maxLength: 254, pattern: "@" });
