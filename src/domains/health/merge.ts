import { DAY_MS } from "../../lib/time.ts";
import { checks } from "./checks.ts";
import type { Evidence } from "./evidence.ts";
import type { Finding, StoredFinding } from "./finding.ts";

/** Time in which a finding that was mended comes back without a new notification, in ms. */
const FLAPPING_MS = DAY_MS;
/** Findings of a domain that are stored, those of the first checks. */
const MAX_FINDINGS = 40;

/** The findings of a domain after an evaluation. */
export interface Evaluation {
  stored: StoredFinding[];
  /** Those that have appeared, without those that came back within a day. */
  appeared: StoredFinding[];
}

/** Runs all checks and merges their findings into those that are stored. Pure. */
export function evaluate(before: readonly StoredFinding[], evidence: Evidence): Evaluation {
  const { now } = evidence;
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const stored: StoredFinding[] = [];
  const appeared: StoredFinding[] = [];
  for (const { codes, run } of checks) {
    const { findings, unknown = [] } = run(evidence);
    const found = new Map(findings.map((one) => [keyOf(one), one]));
    for (const one of found.values()) {
      const earlier = known.get(keyOf(one));
      const isNew = earlier === undefined || (earlier.endedAt !== undefined && earlier.endedAt < now - FLAPPING_MS);
      const current = { ...one, beganAt: isNew ? now : earlier.beganAt };
      stored.push(current);
      if (isNew) appeared.push(current);
    }
    const isUnknown = (subject: string) => unknown.includes("*") || unknown.includes(subject);
    const others = before.filter((one) => codes.test(one.code) && !found.has(keyOf(one)));
    stored.push(...others.flatMap((one) => (isUnknown(one.subject) ? one : (ended(one, now) ?? []))));
  }
  return { stored: stored.slice(0, MAX_FINDINGS), appeared };
}

const keyOf = ({ code, subject }: Finding): string => `${code} ${subject}`;

/** Returns a finding as mended, or null when that is longer ago than it matters. */
function ended(one: StoredFinding, now: number): StoredFinding | null {
  if (one.endedAt === undefined) return { ...one, endedAt: now };
  return one.endedAt < now - FLAPPING_MS ? null : one;
}
