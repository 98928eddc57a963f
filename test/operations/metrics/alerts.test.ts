import { expect, it } from "vitest";
import alerts from "../../../docs/monitoring/alerts.yml?raw";
import { recordDeadLetters } from "../../../src/platform/outbox/dead-letters.ts";
import { database } from "../../support/databases.ts";
import { apiOn, testContext } from "../../support/workspace.ts";

const TOKEN = "token-of-the-monitoring-0123456789ab";

it("GET /metrics has a sample for each metric and label that an alert reads", async () => {
  const ctx = testContext();
  const due = ctx.outbox.prepare("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, ?3, '[]')");
  await ctx.outbox.batch(["deliver", "bulk"].map((kind) => due.bind(Date.now() - 60_000, `alert-${kind}`, kind)));
  await recordDeadLetters(ctx, "work-dead", [{ id: "alert-1", body: "{}" }]);
  await database.run("INSERT OR IGNORE INTO cron_runs (schedule, ran_at) VALUES ('* * * * *', 1)");
  const response = await apiOn({ METRICS_TOKEN: TOKEN }, null).get("/metrics", { Authorization: `Bearer ${TOKEN}` });
  const samples = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const selectors = alerts.matchAll(/(email_[a-z0-9_]+)(?:\{([^}]*)\})?/g);
  let count = 0;
  for (const [selector, name, matchers = ""] of selectors) {
    count += 1;
    const labels = [...matchers.matchAll(/(\w+)(!?=)("[^"]*")/g)];
    const matches = (sample: string) =>
      sample.split(/[{ ]/)[0] === name &&
      labels.every(([, label, operator, value]) =>
        operator === "=" ? sample.includes(`${label}=${value}`) : sample.includes(`${label}="`),
      );
    expect(samples.filter(matches), selector).not.toEqual([]);
  }
  expect(count).toBeGreaterThan(18);
});
