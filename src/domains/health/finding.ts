import { codePoint } from "../../lib/text-rules.ts";
import type { DnsResult } from "../../platform/dns/resolve.ts";
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

/** Findings of a check. `unknown`: subjects for which DNS did not respond; "*" means all. Their earlier findings stay. */
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
    action: action.slice(0, 3_000).toWellFormed(),
    evidence: shown,
  };
}

/** Returns the values of a name as evidence, one line each. */
export function valuesOf(name: string, response: DnsResult): string[] {
  if (response.status === "temperror") return [`${name}: DNS did not respond`];
  return response.values.length === 0 ? [`${name}: no record`] : response.values.map((value) => `${name}: ${value}`);
}

interface Missing {
  type: "TXT" | "CNAME";
  at: string;
  value: string;
  /** Response for the name with the domain after it again. */
  doubled: DnsResult | null;
  domain: string;
  /** True when another value is there. */
  isOther?: boolean;
}

/** Returns what to do about a record that is missing or has another value. */
export function missingAction({ type, at, value, doubled, domain, isOther = false }: Missing): string {
  const host = at.endsWith(`.${domain}`) ? at.slice(0, -domain.length - 1) : "@";
  if (doubled?.status === "ok" && doubled.values.length > 0)
    return `The record stands at ${at}.${domain}: your DNS provider adds the domain to the host by itself. Enter "${host}" as its host.`;
  return `${isOther ? "Change" : "Publish"} the ${type} record at ${at}${isOther ? " to" : " with"} the value "${value}".`;
}

/** Returns what a delegated domain does about a wrong record at the name of a CNAME. */
export const replaceByAlias = (at: string, target: string): string =>
  `Delete the other records at ${at}, and publish the CNAME record there with the value "${target}".`;

/** Returns " (with U+00A0)" when a text has characters that are not ASCII and mostly cannot be told apart, and else an empty text. */
export function charactersOf(text: string): string {
  const foreign = new Set([...text].filter((character) => character > "~"));
  const shown = [...foreign].slice(0, 3).map(codePoint);
  return shown.length === 0 ? "" : ` (with ${listOf(shown)})`;
}

/** Returns words as a list: "a, b and c". */
export const listOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** Returns a share of 1 in percent, never 0 % or 100 % unless it is. */
export function percent(count: number, of: number): string {
  const value = (100 * count) / of;
  const shown = Math.min(Math.max(value, count > 0 ? 0.01 : 0), count < of ? 99.9 : 100);
  return `${shown.toLocaleString("en", { maximumSignificantDigits: 2 })} %`;
}

export const number = (count: number): string => count.toLocaleString("en");
