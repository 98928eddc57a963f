import { type FindingCode, type Severity, severityOf } from "./codes.ts";

/** One thing that is wrong with a domain. */
export interface Finding {
  code: FindingCode;
  severity: Severity;
  /** Tells findings of one code apart, such as a selector or a host; empty when there can be one only. */
  subject: string;
  /** A sentence that says what is wrong. */
  problem: string;
  /** A sentence that says what to do. */
  action: string;
  /** Values that were seen: those in DNS, counts, replies. */
  evidence: string[];
}

/** A finding as it is stored. Times in ms since 1970. */
export interface StoredFinding extends Finding {
  beganAt: number;
  /** When it was mended; kept for a day, in which it may come back without a new notification. */
  endedAt?: number;
}

/**
 * Findings of a check. `unknown`: subjects that could not be checked, since DNS did not respond; "*" means all. Their earlier
 * findings stay.
 */
export interface CheckResult {
  findings: Finding[];
  unknown?: readonly string[];
}

/** The result of a check without what it needs. */
export const UNKNOWN: CheckResult = { findings: [], unknown: ["*"] };

/** Returns the result of a check that has found one thing only. */
export const found = (code: FindingCode, texts: FindingTexts): CheckResult => ({ findings: [finding(code, texts)] });

/** Returns a function that adds a finding to a list. */
export const addTo = (findings: Finding[]) => (code: FindingCode, texts: FindingTexts) => {
  findings.push(finding(code, texts));
};

/** Values that one finding shows, and characters of each: others may publish anything. */
const MAX_EVIDENCE = 8;
const MAX_CHARACTERS = 600;

type FindingTexts = Pick<Finding, "problem" | "action"> & { subject?: string; evidence: readonly string[] };

/** Makes a finding with bounded evidence. */
export function finding(code: FindingCode, { subject = "", problem, action, evidence }: FindingTexts): Finding {
  const shown = evidence.slice(0, MAX_EVIDENCE).map((text) => text.slice(0, MAX_CHARACTERS).toWellFormed());
  return {
    code,
    severity: severityOf(code),
    subject: subject.slice(0, 253),
    problem: problem.slice(0, 1_000).toWellFormed(),
    action: action.slice(0, 1_500).toWellFormed(),
    evidence: shown,
  };
}
