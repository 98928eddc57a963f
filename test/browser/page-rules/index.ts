/** Rules for a page that is shown in a browser. esbuild bundles them, and a test evaluates them in the page. */
import { findCovered } from "./covered.ts";
import { findNarrow } from "./narrow.ts";
import { findOverlapping } from "./overlapping.ts";
import { findRawWords } from "./raw-words.ts";
import { findRepeatedIds } from "./repeated-ids.ts";
import { findWide } from "./wide.ts";

const RULES = {
  covered: findCovered,
  overlapping: findOverlapping,
  narrow: findNarrow,
  "raw words": findRawWords,
  wide: findWide,
  "repeated ids": findRepeatedIds,
};

export type Rule = keyof typeof RULES;

/** Returns the faults of the page as `rule: text`. `leftOut`: selectors, by rule, of what the rule does not apply to. */
function findFaults(leftOut: Readonly<Partial<Record<Rule, readonly string[]>>>): string[] {
  return Object.entries(RULES).flatMap(([rule, find]) => {
    const selectors = leftOut[rule as Rule] ?? [];
    const isLeftOut = (element: Element) => selectors.some((selector) => element.closest(selector) !== null);
    return find(isLeftOut).map((fault) => `${rule}: ${fault}`);
  });
}

Object.assign(globalThis, { findFaults });
