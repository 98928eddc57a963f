import { ComposeError } from "./errors.ts";

/** Formats a date-time in UTC (RFC 5322 3.3). Throws ComposeError `identity` outside the years 1900 to 9999. */
export function formatDate(date: Date): string {
  const year = date.getUTCFullYear();
  if (!(year >= 1900 && year <= 9999))
    throw new ComposeError("identity", "date", "the year is not within 1900 to 9999");
  return date.toUTCString().replace("GMT", "+0000");
}
