/**
 * The kill test (safety R1 and R2). Mails go in through the API while the host, Node and workerd, is killed -9 again and
 * again, at a random moment of the 300 ms after it has caught up with its predecessors' mails, and started again on the
 * same state. `npm run test:long` runs the full counts; KILL_SEED=… repeats the moments of a run.
 *
 * Two things are helped along, and neither is a promise of the service: the queue hands over at once instead of
 * gathering for a second, so that kills fall into deliveries; and against the dropping sink, mail that was put off
 * for its minute is brought forward by SQL after the last restart, so that "final within 60 s" holds for it too.
 */
import { afterAll, describe, it } from "vitest";
import { removeBundle } from "../../bench/host/start.ts";
import { type KillPlan, type KillReport, killRun } from "./support/kill-run.ts";

const LONG = process.env.TEST_LONG === "1";
const counts = LONG ? { mails: 5_000, kills: 200 } : { mails: 500, kills: 20 };
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1e9));
/** Mails whose outcome may be unwritten when a run is killed (design: what may never happen, 3). */
const UNWRITTEN = 20;

const sinks: [string, number][] = [
  ["a bare sink", 0],
  ["a sink that hangs up after the final dot of every twentieth mail", 0.05],
];

afterAll(removeBundle);

describe.concurrent(`${counts.kills} kills under ${counts.mails} mails`, {
  timeout: LONG ? 1_800_000 : 180_000,
}, () => {
  for (const [name, dropShare] of sinks) {
    it(`loses nothing, invents nothing, and says every duplicate: ${name}`, async ({ expect }) => {
      const report = await killRun({ ...counts, dropShare, seed });
      const said = summary({ ...counts, dropShare, seed }, report);
      console.log(said);
      expect(report.faults, said).toEqual({
        lost: [],
        unknown: [],
        doubled: [],
        undelivered: [],
        unsaid: [],
        unexplained: [],
      });
      expect(report.left, said).toBe(0);
      expect(report.worstKill, said).toBeLessThanOrEqual(UNWRITTEN);
      expect(report.finalAfterSeconds, said).toBeLessThanOrEqual(60);
      expect(report.kills).toBe(counts.kills);
      expect(report.accepted + report.uncertain).toBe(counts.mails);
    });
  }
});

function summary({ dropShare, seed, mails }: KillPlan, report: KillReport): string {
  const { faults, ...r } = report;
  const figures = [
    `mails ${mails}`,
    `accepted ${r.accepted} (${r.repeated} after a lost answer)`,
    `maybe ${r.uncertain} (${r.uncertainAccepted} there)`,
    `delivered ${r.delivered}`,
    `lost ${faults.lost.length}`,
    `unknown ${faults.unexpected.length}`,
    `duplicates ${r.duplicates} (${r.ofDropped} of dropped; worst kill ${r.worstKill}; unsaid ${faults.unreported.length})`,
    `kills ${r.kills}`,
    `final after ${r.finalAfterSeconds.toFixed(1)} s`,
    `seconds ${r.seconds.toFixed(1)}`,
    `seed ${seed}`,
  ];
  return `kill test, drops ${dropShare * 100} %: ${figures.join(", ")}`;
}
