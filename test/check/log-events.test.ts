import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { levelOf, logEvents } from "../../src/platform/settings/log-levels.ts";

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

const logged = new Set(
  sources.flatMap((file) =>
    [...read(file).matchAll(/(?:\blog\(\s*|\blogEmails\([^,"]+,\s*|event: )"([a-z][a-z0-9_.-]*\.[a-z0-9_.-]+)"/g)]
      .map(([, event = ""]) => event)
      // Events of webhooks.
      .filter((event) => !event.startsWith("email.")),
  ),
);

it("every listed event of the log is logged, and is no warning", () => {
  expect(logged.size).toBeGreaterThan(30);
  for (const [event, level] of Object.entries(logEvents)) {
    expect(logged, event).toContain(event);
    expect(level, event).not.toBe("warn");
  }
});

it("docs/monitoring.md lists every event with its level and its meaning, and no other", () => {
  const rows = [...read("docs/monitoring.md").matchAll(/^\| `([^`]+)` \| (debug|info|warn|error) \| (.{11,}) \|$/gm)];
  const documented = rows.map(([, event = "", level]) => `${event} ${level}`);
  expect(documented.sort()).toEqual([...logged].map((event) => `${event} ${levelOf(event)}`).sort());
});
