/** The alerting rules that operators load into Prometheus, run by promtool. */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";

const FOLDER = path.join(import.meta.dirname, "../../docs/monitoring");
const read = (name: string) => readFile(path.join(FOLDER, name), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);

/** Returns why promtool cannot be run, or null. With REQUIRE_TOOLS=1 it throws instead. */
function promtoolUnavailable(): string | null {
  if (!spawnSync("promtool", ["--version"]).error) return null;
  const reason = "promtool is not installed; on Debian: apt-get install prometheus";
  if (process.env.REQUIRE_TOOLS === "1") throw new Error(`REQUIRE_TOOLS: ${reason}`);
  console.warn(`SKIPPED, ${reason}: the alerts were not tested`);
  return reason;
}

function promtool(...args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: FOLDER, encoding: "utf8" });
  return { code: status, output: `${stdout}${stderr}` };
}

describe("the alerts", () => {
  it("have a case in which each fires and one in which it does not, and are those of the document", async () => {
    const rules = await read("alerts.yml");
    const names = all(rules, /- alert: (\w+)/g);
    const cases = all(await read("alerts.test.yml"), /- name: (.+)/g);
    expect(names.length).toBeGreaterThan(0);
    expect(cases).toEqual(names.flatMap((name) => [`${name} fires`, `${name} does not fire`]));
    const document = await readFile(path.join(FOLDER, "../monitoring.md"), "utf8");
    const table = document.slice(document.indexOf("## Alerts"), document.indexOf("## Log"));
    const titles = all(table, /^\| ([^|]+?) \|/gm).filter((title) => title !== "alert" && !title.startsWith("---"));
    expect(titles).toEqual(all(rules, /summary: (.+)/g));
  });
});

describe.skipIf(promtoolUnavailable() !== null)("the alerts in Prometheus", () => {
  it("are valid rules", () => {
    const { code, output } = promtool("check", "rules", "alerts.yml");
    expect(output).toContain("SUCCESS");
    expect(code).toBe(0);
  });

  it("fire in their case and in no other", () => {
    const { code, output } = promtool("test", "rules", "alerts.test.yml");
    expect(output).toContain("SUCCESS");
    expect(code).toBe(0);
  });
});
