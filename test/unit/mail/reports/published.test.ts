import { describe, expect, it } from "vitest";
import { DELIVERY_REPORTS } from "../../../mail/reports/published/delivery-reports.ts";
import { GATEWAYS } from "../../../mail/reports/published/gateways.ts";
import { LATER_REFUSALS, LATER_REPORTS, LATER_TEXTS } from "../../../mail/reports/published/later.ts";
import { MAILBOX_PROVIDERS } from "../../../mail/reports/published/mailbox-providers.ts";
import { readRefusals, readReports, readTexts } from "../../../mail/reports/published/read.ts";
import { REGIONAL_PROVIDERS } from "../../../mail/reports/published/regional-providers.ts";
import { SERVER_PROGRAMS } from "../../../mail/reports/published/server-programs.ts";
import { TEXT_REPORTS } from "../../../mail/reports/published/text-reports.ts";

const VERDICTS = [
  ...readRefusals([...MAILBOX_PROVIDERS, ...REGIONAL_PROVIDERS, ...GATEWAYS, ...SERVER_PROGRAMS]),
  ...readReports(DELIVERY_REPORTS),
  ...readTexts(TEXT_REPORTS),
];
const wrong = VERDICTS.filter(({ right, found }) => found !== right);
const describeAll = (some: typeof wrong) => some.map(({ found, name }) => `${found}: ${name}`).join("\n");

describe("the failures that receivers publish", () => {
  it("are 200, of which at least 60 are hard and 120 soft", () => {
    const hard = VERDICTS.filter(({ right }) => right === "hard").length;
    expect(VERDICTS.length).toBe(200);
    expect(hard).toBeGreaterThanOrEqual(60);
    expect(VERDICTS.length - hard).toBeGreaterThanOrEqual(120);
  });

  it("never suppress an address that works", () => {
    expect(describeAll(wrong.filter(({ right }) => right === "soft"))).toBe("");
  });

  it("are read right in 98 of 100", () => {
    expect((VERDICTS.length - wrong.length) / VERDICTS.length, describeAll(wrong)).toBeGreaterThanOrEqual(0.98);
  });
});

describe("30 more, which were written after the last change of the tables", () => {
  it("are read right in 29 cases: Amazon SES suppresses an address under 5.1.1 because of earlier bounces", () => {
    const later = [...readRefusals(LATER_REFUSALS), ...readReports(LATER_REPORTS), ...readTexts(LATER_TEXTS)];
    const missed = later.filter(({ right, found }) => found !== right);
    expect(later.length).toBe(30);
    expect(missed.length, describeAll(missed)).toBeLessThanOrEqual(1);
  });
});
