import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { logEvents } from "../../src/platform/settings/log-levels.ts";

const root = path.join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const sources = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "src", "durable-objects"],
  {
    cwd: root,
  },
)
  .toString()
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file) && file !== "src/platform/settings/log-levels.ts");

it("every event of the log has a level, and every listed event is logged", () => {
  const logged = sources.flatMap((file) =>
    [...read(file).matchAll(/(?:\blog\(\s*|\blogEmails\([^,"]+,\s*|event: )"([a-z][a-z0-9_.-]*\.[a-z0-9_.-]+)"/g)].map(
      ([, event = ""]) => event,
    ),
  );
  expect(new Set(logged).size).toBeGreaterThan(30);
  const webhookEvents = /^email\./;
  const expected = [...new Set(logged)].filter((event) => !webhookEvents.test(event));
  expect(Object.keys(logEvents).sort()).toEqual(expected.sort());
});

it("docs/monitoring.md lists every event with its level and its meaning", () => {
  const document = read("docs/monitoring.md");
  const rows = document.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const meaningOf = new Map(rows.map(([, event, level, meaning]) => [`${event} ${level}`, meaning ?? ""]));
  for (const [event, level] of Object.entries(logEvents))
    expect(meaningOf.get(`\`${event}\` ${level}`)?.length, event).toBeGreaterThan(10);
});
