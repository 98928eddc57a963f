import type { SpfLookUp } from "../../../../src/mail/spf/walk.ts";

/** The result of the published case (RFC 7208 2.6), or those that it allows. */
type Result = "none" | "neutral" | "pass" | "fail" | "softfail" | "temperror" | "permerror";

interface Options {
  /** The address of the client. */
  from?: string;
  /** The term that decides, when that depends on the message or on the order of terms, neither of which the reader evaluates. */
  by?: string;
  /** Words of the error. */
  says?: RegExp;
  lookups?: number;
  voids?: number;
  /** The result of the reader in place of the published one, and why. */
  reader?: readonly [Result, reason: string];
}

/** A published case: its name, the section of RFC 7208, the domain that is asked for, and what is right. */
type SpfCase = readonly [
  name: string,
  section: string,
  at: string,
  right: Result | readonly Result[],
  options?: Options,
];

export interface SpfScenario {
  title: string;
  /** Records of DNS, such as `A 192.0.2.1`. Names without a dot are below example.com. */
  zone: Readonly<Record<string, readonly string[]>>;
  cases: readonly SpfCase[];
}

/** Returns a name as DNS has it. */
export const nameOf = (name: string): string => (name.includes(".") ? name : `${name}.example.com`);

/** Returns look-ups in a zone, with the values that src/platform/dns returns: null for a query that times out. */
export function lookUpIn({ zone }: SpfScenario): SpfLookUp {
  const records = new Map(Object.entries(zone).map(([name, values]) => [nameOf(name), values]));
  return async (name, type) => {
    const all = records.get(name.toLowerCase()) ?? [];
    const values = all.filter((value) => value.startsWith(`${type} `)).map((value) => value.slice(type.length + 1));
    return values.length === 0 && all.includes("TIMEOUT") ? null : values;
  };
}
