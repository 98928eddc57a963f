import { ComposeError } from "./errors.ts";

/** The first characters of every boundary delimiter line that this service writes. */
export const BOUNDARY_PREFIX = "--=_";

/**
 * Returns the boundary of one multipart (RFC 2046 5.1.1). The same id and role give the same boundary. It cannot occur
 * in quoted-printable, which has no `=_`, or in base64, which has no `_`; text.ts keeps BOUNDARY_PREFIX out of 7bit.
 * No boundary is a prefix of another boundary of the same message. Throws ComposeError `identity`.
 */
export function boundaryFor(id: string, role: "mixed" | "related" | "alternative"): string {
  if (!/^[A-Za-z0-9-]{1,50}$/.test(id))
    throw new ComposeError("identity", "id", "must be 1 to 50 letters, digits and hyphens");
  return `=_${role}_${id}`;
}
