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

/** Faults that are known and not mended yet, by route and by the beginning of their text. */
const UNMENDED: readonly (readonly [route: string, fault: string])[] = [];

/** Returns the faults of pages without those that are known, and each known one that is no longer found, to be deleted here. */
export function withoutUnmended(
  found: readonly { route: string; fault: string }[],
  routes: readonly string[],
): string[] {
  const isKnown = (one: { route: string; fault: string }, [route, fault]: readonly [string, string]) =>
    one.route === route && one.fault.startsWith(fault);
  const news = found.filter((one) => !UNMENDED.some((known) => isKnown(one, known)));
  const mended = UNMENDED.filter((known) => routes.includes(known[0]) && !found.some((one) => isKnown(one, known)));
  return [
    ...news.map(({ route, fault }) => `${route} ${fault}`),
    ...mended.map(([route, fault]) => `${route} has no fault "${fault}" any more: delete it from left-out.ts`),
  ];
}
