import type { LeftOut } from "./rules.ts";

interface Exception {
  /** Prefix of the routes. */
  route: string;
  rule: string;
  selector: string;
  /** Why the rule does not apply there. */
  why: string;
}

/** Places of pages that a rule does not apply to. */
const EXCEPTIONS: readonly Exception[] = [
  {
    ...{ route: "/docs", rule: "raw words", selector: "body" },
    why: "The reference is about calls, their JSON and null.",
  },
  {
    ...{ route: "/docs", rule: "overlapping", selector: "button.copy" },
    why: "It lies over the right end of code, which scrolls out from below it.",
  },
  {
    ...{ route: "/app/emails/batch", rule: "raw words", selector: "textarea.code" },
    why: "The page sends what the API takes: a JSON array.",
  },
];

/** Returns the selectors that are left out on a page, by rule. */
export function leftOutOf(route: string): LeftOut {
  const mine = EXCEPTIONS.filter((one) => route.startsWith(one.route));
  return Object.fromEntries(
    mine.map(({ rule }) => [rule, mine.filter((one) => one.rule === rule).map(({ selector }) => selector)]),
  );
}
