import { expect, it } from "vitest";
import { mountedRoutes } from "../../support/route-tests.ts";
import { attacks } from "./worst-day/attacks.ts";
import { findings, measuredByCron } from "./worst-day/known-growth.ts";
import { budgetOfPlace } from "./worst-day/measure.ts";
import { noGrowth } from "./worst-day/no-growth.ts";

const reasons = Object.values(noGrowth).flat();
const hasReason = (route: string) =>
  reasons.some((reason) => (typeof reason === "string" ? reason === route : reason.test(route)));

// worst-day.full.test.ts makes the attacks.
it("every writing operation has an attack of the worst day, or a reason why its calls grow nothing", () => {
  const attacked = new Set(attacks.map(({ operation }) => operation));
  const writing = mountedRoutes().filter((route) => /^(POST|PUT|PATCH|DELETE) /.test(route));
  expect(writing.filter((route) => !attacked.has(route) && !hasReason(route))).toEqual([]);
  const named = [...attacked, ...reasons.filter((reason) => typeof reason === "string")];
  expect(named.filter((route) => !writing.includes(route))).toEqual([]);
});

it("every place that is known to grow has an entry in the lists of budgets", () => {
  for (const place of [...measuredByCron, ...Object.keys(findings)]) expect(budgetOfPlace(place), place).toBeDefined();
});
