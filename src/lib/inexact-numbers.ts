/** Where a number of a JSON value is. */
export type JsonPath = (string | number)[];

/**
 * Returns where the first number beyond 2^53 - 1 of a parsed JSON value is, or null. Its digits may be lost (RFC 8259 section 6), and a
 * greater one would be stored as null. Its depth is that of the value, which the caller bounds.
 */
export function findInexactNumber(value: unknown): JsonPath | null {
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER ? [] : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const path = findInexactNumber(member);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return null;
}

/** Message for a number that `findInexactNumber` found. */
export const INEXACT_NUMBER = `A number beyond ${Number.MAX_SAFE_INTEGER.toLocaleString("en")} loses digits; send it as a string`;
