/**
 * The language as others test it: a selection of Golden Liquid. golden.json says where it is from, LICENSE under which terms, and
 * golden-differences.ts which cases have another result here.
 */
import { describe, expect, it } from "vitest";
import { LiquidTextError, parseLiquid } from "../../../../src/lib/liquid/text.ts";
import type { Values } from "../../../../src/lib/placeholders.ts";
import golden from "../../../lib/liquid/golden.json" with { type: "json" };
import { different } from "../../../lib/liquid/golden-differences.ts";

interface Case {
  name: string;
  template: string;
  data?: Values;
  templates?: Record<string, string>;
  result?: string;
  invalid?: boolean;
}

const groups = Object.entries(golden.groups as unknown as Record<string, Case[]>);

/** Returns what a case renders; null: it is refused. */
function render({ template, data = {}, templates = {} }: Case): string | null {
  try {
    return parseLiquid(template, "text", templates).render(data, Date.UTC(2026, 10, 24));
  } catch (error) {
    if (error instanceof LiquidTextError) return null;
    throw error;
  }
}

describe.each(groups)("Golden Liquid: %s", (group, cases) => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", (name, one) => {
    const key = `${group}: ${name}`;
    expect(render(one)).toBe(different.has(key) ? different.get(key) : (one.result ?? null));
  });
});

it("each difference that is named is one, of a case that exists", () => {
  const results = new Map(
    groups.flatMap(([group, cases]) => cases.map((one) => [`${group}: ${one.name}`, one.result])),
  );
  for (const [key, renders] of different) {
    expect([...results.keys()]).toContain(key);
    expect(results.get(key) ?? null, key).not.toBe(renders);
  }
});
