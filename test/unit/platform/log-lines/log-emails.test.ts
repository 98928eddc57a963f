import { expect, it } from "vitest";
import { logEmails } from "../../../../src/platform/log-lines/log-emails.ts";

it("lines beyond the bytes of an invocation have the number of their emails, and later ones that fit their ids", () => {
  const lines: [string, Record<string, unknown> | undefined][] = [];
  const ctx = {
    log: (event: string, fields?: Record<string, unknown>) => void lines.push([event, fields]),
    logBudget: { bytes: 1_500 },
  };
  const entries = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `${n}`.padStart(10, "0") }));
  logEmails(ctx, "a", entries(60), { source: "api" });
  logEmails(ctx, "b", entries(150));
  logEmails(ctx, "c", entries(2));
  logEmails(ctx, "d", []);
  expect(lines).toEqual([
    ["a", { source: "api", emails: entries(60) }],
    ["b", { omitted: 100 }],
    ["b", { omitted: 50 }],
    ["c", { emails: entries(2) }],
  ]);
});
