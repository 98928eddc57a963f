import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** Files that read a clock or a meter, by the reason. */
const EXEMPT = new Map<string, string>([
  ["test/check/measured-time.test.ts", "has the samples"],
  ["test/support/distance/distance.test.ts", "tests a stopped clock"],
  ["test/host/support/peak-memory.ts", "is run by a full test"],
  ["test/host/support/startup-cpu.ts", "is run by a full test"],
  ["test/support/distance/clock.ts", "stops the clock of a Worker"],
  ["test/support/scripted-session.ts", "records arrivals for a full test"],
  ["test/support/scripted-smtp.ts", "records arrivals for a full test"],
]);

const NOW = String.raw`\bDate\.now\(\)`;
/** A name of a measured value, at the end of what an expectation is about. */
const MEASURED = "(?:elapsed|took|duration|ms|seconds|cpu|rss|heap|peakKib)";

/** A comparison of a measured time, CPU or memory: how the source looks, samples that match, and samples that do not. */
interface Rule {
  pattern: RegExp;
  refused: readonly string[];
  allowed: readonly string[];
  /** Support files may read the time that a run took, to print it. */
  isForTestsOnly?: true;
}

const RULES: readonly Rule[] = [
  {
    // Stopwatches and meters, which serve nothing else.
    pattern: /\bperformance\s*\.now\b|\bprocess\s*\.(?:hrtime|cpuUsage|memoryUsage|resourceUsage)\b|\/schedstat\b/,
    refused: [
      "performance.now() - start",
      "process.hrtime.bigint()",
      "process.memoryUsage().rss",
      "process.cpuUsage(a)",
    ],
    allowed: ["performance.mark", "process.env"],
  },
  {
    // The difference to an earlier reading, found by its name.
    pattern: new RegExp(String.raw`\b(\w+)(?: =|:) ${NOW}[;,\s}][^]*${NOW} - (?:\w+\.)*\1\b`),
    refused: [
      "const start = Date.now();\nconst ms = Date.now() - start;",
      "{ startedAt: Date.now() }\nDate.now() - host.startedAt",
    ],
    allowed: ["const start = Date.now();\nat(Date.now() - DAY)", "const now = Date.now();\nexpect(at - now)"],
    isForTestsOnly: true,
  },
  {
    // The time from now to a stored time. A reading before the work and one after it bound that without a tolerance.
    pattern: new RegExp(`- ${NOW}`),
    refused: ["expect(row.dueAt - Date.now()).toBeGreaterThan(50_000)", "const wait = dueAt - Date.now()"],
    allowed: ["expect(row.dueAt - start).toBe(60_000)", "at(-Date.now)"],
    isForTestsOnly: true,
  },
  {
    pattern: new RegExp(String.raw`\bexpect\((?:Math\.\w+\()*${NOW} -`),
    refused: [
      "expect(Date.now() - Date.parse(at)).toBeLessThan(60_000)",
      "expect(Math.abs(Date.now() - at)).toBeLessThan(5)",
    ],
    allowed: ["expect(await at(Date.now() - DAY)).toBe(1)", "expect(at).toBeLessThanOrEqual(Date.now())"],
  },
  {
    // A time after the present passes while a slow machine works.
    pattern: new RegExp(String.raw`\.toBe(?:GreaterThan(?:OrEqual)?|CloseTo)\(\s*${NOW}`),
    refused: ["expect(alarm).toBeGreaterThan(Date.now() + HOUR)"],
    allowed: ["expect(alarm).toBeGreaterThan(start + HOUR)", "expect(alarm).toBeLessThanOrEqual(Date.now() + HOUR)"],
  },
  {
    pattern: new RegExp(
      String.raw`\bexpect\(\(?(?:\w+\.)*${MEASURED}\w*(?: [-+*/] [\w.]+)*\)?(?: / \d+)?\)\s*\.toBe(?:Less|Greater)Than`,
    ),
    refused: [
      "expect(tookMs).toBeLessThan(60_000)",
      "expect(run.seconds / 2)\n.toBeLessThan(60)",
      "expect((many.peakKib - none.peakKib) / 1024).toBeLessThan(64)",
    ],
    allowed: ["expect(messages).toBeLessThan(3)", "expect(wait).toBeLessThan(500)"],
  },
  {
    // A loop until a time. `expect.poll`, `vi.waitFor` and `until` say what did not come.
    pattern: new RegExp(String.raw`\b(?:for|while|if) \([^\n]*(?:${NOW} [<>]|[^=][<>]=? ${NOW})`),
    refused: [
      "for (; Date.now() < end; await sleep(50)) {",
      "if (Date.now() > deadline) throw",
      "while (end > Date.now())",
    ],
    allowed: [
      "run(() => Date.now() + DAY)",
      "if (at(() => Date.now())) return",
      "rows.every((row) => row.due <= Date.now())",
    ],
    isForTestsOnly: true,
  },
];

it("each rule finds its samples and nothing else", () => {
  for (const { pattern, refused, allowed } of RULES) {
    for (const sample of refused) expect(sample).toMatch(pattern);
    for (const sample of allowed) expect(sample).not.toMatch(pattern);
  }
});

it("no test of `npm test` compares a time, CPU or memory that it measured: it counts, or it is a full test or a part of the bench", () => {
  const files = globSync("test/**/*.{ts,tsx,mjs}", { cwd: root }).filter((file) => !file.endsWith(".full.test.ts"));
  const found = files
    .filter((file) => !EXEMPT.has(file))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      const rules = RULES.filter(({ isForTestsOnly }) => !isForTestsOnly || file.endsWith(".test.ts"));
      return rules
        .flatMap(({ pattern }) => pattern.exec(text)?.[0] ?? [])
        .map((place) => `${file}: ${place.slice(-80)}`);
    });
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});
