import { ComposeError } from "./errors.ts";

/** What every boundary line of ours begins with. */
export const BOUNDARY_PREFIX = "--=_";

/**
 * The boundary of one multipart: same id and role, same boundary (RFC 2046 5.1.1). It cannot occur in
 * quoted-printable (no `=_` there) nor in base64 (no `_`); text.ts keeps BOUNDARY_START out of 7bit.
 * No boundary is the beginning of another one of the same message. Throws ComposeError `identity`.
 */
export function boundaryFor(id: string, role: "mixed" | "related" | "alternative"): string {
  if (!/^[A-Za-z0-9-]{1,50}$/.test(id)) throw new ComposeError("identity", "id", "cannot name a boundary");
  return `=_${role}_${id}`;
}
