/**
 * Kills the host (Node and workerd, by SIGKILL) while a broadcast is fanned out and delivered. `npm run test:long` runs
 * 20,000 contacts; KILL_SEED=… repeats the kill times of a run.
 */
import { expect, it } from "vitest";
import { type BroadcastKillPlan, broadcastKillRun } from "./support/broadcast-kill-run.ts";
import { byExtent, isFull } from "./support/extent.ts";
import { noIssues } from "./support/kill-verdict.ts";

const plan = byExtent({
  quick: { contacts: 300, kills: 1, killWithinMs: 500 },
  full: { contacts: 600, kills: 4, killWithinMs: 700 },
  long: { contacts: 20_000, kills: 40, killWithinMs: 3_000 },
});
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1e9));
/**
 * Emails whose outcome is not yet written when a host is killed, of each of its runs: one from the queue, one of the restart
 * and one of each minute.
 */
const MAX_UNWRITTEN = 20;

const places: [string, Partial<BroadcastKillPlan>][] = [["", {}]];
// npm test has the kill test of single emails at a distance.
if (isFull)
  places.push([" at a distance", { distance: { overloaded: 0.02, ambiguous: 0.02, slow: 0.01, slowMs: 400, seed } }]);

it.each(places)(
  `${plan.kills} kills in the middle of a broadcast to ${plan.contacts} contacts: everybody gets exactly one email%s`,
  {
    timeout: byExtent({ quick: 180_000, full: 600_000, long: 1_800_000 }),
  },
  async (_, place) => {
    const timeoutMs = byExtent({ quick: 90_000, full: 90_000, long: 900_000 });
    const report = await broadcastKillRun({ ...plan, ...place, seed }, timeoutMs);
    const { issues, ...totals } = report;
    const description = `broadcast kill test, seed ${seed}: ${JSON.stringify(totals)}`;
    console.log(description);
    expect(issues, description).toEqual(noIssues());
    const counts = { recipient_count: plan.contacts, queued_count: plan.contacts, delivered_count: plan.contacts };
    expect(report.broadcast, description).toMatchObject({ status: "sent", ...counts });
    expect(report.delivered).toBe(plan.contacts);
    for (const [kill, { runs }] of report.atKills.entries()) {
      const duplicates = report.duplicatesOfKills[kill] ?? 0;
      expect(duplicates, `kill ${kill} of ${runs} runs: ${description}`).toBeLessThanOrEqual(
        MAX_UNWRITTEN * Math.max(1, runs),
      );
    }
    expect(report.outboxRows, description).toBe(0);
    // Some kill met the broadcast while emails waited.
    expect(
      report.atKills.some(({ delivered }) => delivered < plan.contacts),
      description,
    ).toBe(true);
  },
);
