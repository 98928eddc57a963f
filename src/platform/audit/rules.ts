/** Days that entries of the audit log are kept: a year, as auditors ask for. */
export const AUDIT_RETENTION_DAYS = 365;

/** Returns the lowest id of an entry of this time, in milliseconds since 1970. Ids are UUIDv7 and begin with their time. */
export function firstIdAt(time: number): string {
  const head = Math.max(0, time).toString(16).padStart(12, "0");
  return `${head.slice(0, 8)}-${head.slice(8)}`;
}
