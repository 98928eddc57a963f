/**
 * The kill test. It sends emails by the API while the host (Node and workerd) gets a SIGKILL repeatedly and is started
 * again on the same state. Each kill is at a random time within 300 ms after the host has accepted its predecessors'
 * emails. `npm test` kills once; `npm run test:full` and `test:long` kill more. KILL_SEED=… repeats the kill times of a run.
 *
 * The test changes two settings: queues deliver without the batch timeout of a second, so that kills hit deliveries; and
 * with the sink that closes connections, deferred emails become due by SQL after the last restart, so that all are
 * final within 60 s, which only `npm run test:full` requires.
 */
import { describe, it } from "vitest";
import { byExtent, isFull } from "./support/extent.ts";
import { type KillPlan, type KillReport, killRun } from "./support/kill-run.ts";
import { noIssues } from "./support/kill-verdict.ts";

/** `dropShare`: of messages after whose final dot the sink closes the connection, so that each run has some. */
const counts = byExtent({
  quick: { mails: 24, kills: 1, dropShare: 0.3 },
  full: { mails: 250, kills: 10, dropShare: 0.05 },
  long: { mails: 5_000, kills: 200, dropShare: 0.05 },
});
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1e9));
/**
 * Emails of one mail database whose outcome is not yet written when a host is killed: one batch of outcomes (16) and those in
 * flight. Each database has its own, so that one which does not respond delays no other.
 */
const MAX_UNWRITTEN = 20;

/** By SMTP, the programs repeat what they got no 250 for within milliseconds of a restart. */
const BY_SMTP = {
  ...byExtent({
    quick: { mails: 16, kills: 1 },
    full: { mails: 80, kills: 4 },
    long: { mails: 5_000, kills: 200 },
  }),
  maxUnwritten: MAX_UNWRITTEN,
  door: "smtp" as const,
};
const BY_API = { mails: counts.mails, kills: counts.kills, maxUnwritten: MAX_UNWRITTEN, door: "api" as const };

const plans: [string, Omit<KillPlan, "seed"> & { maxUnwritten: number }][] = [
  [
    "a sink that closes the connection after the final dot of some messages",
    { ...BY_API, dropShare: counts.dropShare },
  ],
  ["emails that are submitted by SMTP", { ...BY_SMTP, dropShare: 0 }],
];
// npm test has the API in the plan before it, and a sink that replies to every message in the one by SMTP.
if (isFull) plans.unshift(["a sink that replies to every message", { ...BY_API, dropShare: 0 }]);
/** The main database and the mail databases fail on their own, or two at once, between the kills. */
const outages: KillPlan = {
  ...byExtent({
    // The databases fail while the emails before the second kill are sent.
    quick: { mails: 60, kills: 2 },
    full: { mails: 120, kills: 5 },
    long: { mails: 2_500, kills: 100 },
  }),
  dropShare: 0,
  door: "api",
  outages: true,
  seed: seed + 1,
};

/** The bindings are as far away as those of Cloudflare, some of their calls fail, and clients disconnect. */
const distant: KillPlan = {
  ...byExtent({
    quick: { mails: 12, kills: 1 },
    full: { mails: 200, kills: 6 },
    long: { mails: 2_500, kills: 60 },
  }),
  dropShare: 0,
  door: "api",
  distance: { overloaded: 0.03, ambiguous: 0.03, slow: 0.02, slowMs: 400, seed: seed + 2 },
  seed: seed + 2,
};

describe.concurrent(`${counts.kills} kills while ${counts.mails} emails are sent`, {
  timeout: byExtent({ quick: 600_000, full: 900_000, long: 1_800_000 }),
}, () => {
  it.runIf(isFull)(
    "loses no email, sends no unexpected one, and reports every duplicate: databases that fail separately",
    async ({ expect }) => {
      const report = await killRun(outages);
      const description = summary(outages, report);
      console.log(description, `outages ${report.outages}`);
      expect(Object.values(report.issues).flat(), description).toEqual([]);
      expect(report.outboxRows, description).toBe(0);
      expect(report.outages).toHaveLength(3);
      expect(Math.min(...report.outages)).toBeGreaterThan(byExtent({ quick: 0, full: 5, long: 5 }));
      expect(report.accepted + report.uncertain).toBe(outages.mails);
    },
  );

  it("loses no email, sends none twice but at a kill, and writes those whose client got no response wholly or not at all: at a distance", async ({
    expect,
  }) => {
    const report = await killRun(distant);
    const description = summary(distant, report);
    console.log(description);
    expect(Object.values(report.issues).flat(), description).toEqual([]);
    expect(report.outboxRows, description).toBe(0);
    expect(report.worstKill, description).toBeLessThanOrEqual(MAX_UNWRITTEN);
    expect(report.kills, description).toBe(distant.kills);
    // Of twelve emails a kill need not meet one on its way.
    if (isFull) expect(report.repeated + report.uncertain, description).toBeGreaterThan(0);
    expect(report.accepted + report.uncertain).toBe(distant.mails);
  });

  for (const [name, plan] of plans) {
    it(`loses no email, sends no unexpected one, and reports every duplicate: ${name}`, async ({ expect }) => {
      const report = await killRun({ ...plan, seed });
      const description = summary({ ...plan, seed }, report);
      console.log(description);
      expect(report.issues, description).toEqual(noIssues());
      expect(report.outboxRows, description).toBe(0);
      expect(report.worstKill, description).toBeLessThanOrEqual(plan.maxUnwritten);
      if (isFull) expect(report.finalAfterSeconds, description).toBeLessThanOrEqual(60);
      expect(report.kills).toBe(plan.kills);
      expect(report.accepted + report.uncertain).toBe(plan.mails);
    });
  }
});

function summary({ dropShare, door, seed, mails }: KillPlan, report: KillReport): string {
  const { issues, ...r } = report;
  const parts = [
    `mails ${mails}`,
    `accepted ${r.accepted} (${r.repeated} after a lost response)`,
    `uncertain ${r.uncertain} (${r.uncertainAccepted} accepted)`,
    `delivered ${r.delivered}`,
    `lost ${issues.lost.length}`,
    `unexpected ${issues.unexpected.length}`,
    `duplicates ${r.duplicates} (${r.ofDropped} of dropped; worst kill ${r.worstKill}; unreported ${issues.unreported.length})`,
    `kills ${r.kills}`,
    `final after ${r.finalAfterSeconds.toFixed(1)} s`,
    `seconds ${r.seconds.toFixed(1)}`,
    `seed ${seed}`,
  ];
  return `kill test, ${door}, drops ${dropShare * 100} %: ${parts.join(", ")}`;
}
