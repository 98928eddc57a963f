import type { StoredFinding } from "./finding.ts";

/** Returns the stored findings of a domain, those included that were mended in the last day; null before the first evaluation. */
export const readHealth = (stored: string | null): StoredFinding[] | null =>
  stored === null ? null : (JSON.parse(stored) as StoredFinding[]);

/** Returns the findings that are there now, errors first. */
export function openFindings(stored: string | null): StoredFinding[] {
  const open = (readHealth(stored) ?? []).filter(({ endedAt }) => endedAt === undefined);
  const isWarning = ({ severity }: StoredFinding) => Number(severity === "warning");
  return open.toSorted((a, b) => isWarning(a) - isWarning(b));
}
