import { describe, expect, it } from "vitest";
import { database, mail } from "../../support/databases.ts";
import { runCloseHours, runRetention } from "../../support/retention.ts";
import { aKey, apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";
import { analytics, aRollup, HOUR_MS, hoursAgo, type Point, reopen } from "./support.ts";

const workspace = perSuite(aWorkspace);

describe("a period", () => {
  it.each([
    ["24h", "hour", [24]],
    ["24h", "day", [1, 2]],
    ["7d", "hour", [168]],
    ["7d", "day", [7, 8]],
    ["30d", "hour", [720]],
    ["30d", "day", [30, 31]],
    ["90d", "hour", [2160]],
    ["90d", "day", [90, 91]],
  ] as const)("%s by %s has every bucket, zeros included, to the current one", async (period, granularity, lengths) => {
    const of = await aWorkspace();
    const series = await analytics<{ data: Point[]; period: string; granularity: string }>(
      of,
      `timeseries?period=${period}&granularity=${granularity}`,
    );
    expect([series.period, series.granularity]).toEqual([period, granularity]);
    expect(lengths).toContain(series.data.length);
    const ms = granularity === "hour" ? HOUR_MS : 24 * HOUR_MS;
    const last = Math.floor(Date.now() / ms) * ms;
    expect(series.data).toEqual(
      series.data.map((_, index) => ({
        timestamp: new Date(last - (series.data.length - 1 - index) * ms).toISOString(),
        ...{ sent: 0, delivered: 0, bounced: 0, soft_bounced: 0, failed: 0, opens: 0 },
      })),
    );
  });

  it("begins with its first hour and not before, and both defaults are as specified", async () => {
    const of = await aWorkspace();
    for (const [hours, sent] of [
      [0, 1],
      [23, 10],
      [24, 100],
      [167, 1_000],
      [168, 10_000],
      [719, 100_000],
      [720, 1e6],
      [2159, 1e7],
      [2160, 1e8],
    ] as const)
      await aRollup(of, hoursAgo(hours), "a.example", { sent, emails_sent: sent });
    const expected = { "24h": 11, "7d": 1_111, "30d": 111_111, "90d": 11_111_111 };
    for (const closed of [false, true]) {
      if (closed) {
        await runCloseHours(testContext());
        await runRetention(testContext());
      }
      for (const [period, sent] of Object.entries(expected)) {
        expect(await analytics(of, `overview?period=${period}`)).toMatchObject({ total_sent: sent, period });
        expect(await analytics(of, `domain-stats?period=${period}`)).toMatchObject([{ domain: "a.example", sent }]);
        for (const granularity of ["hour", "day"]) {
          const { data } = await analytics<{ data: Point[] }>(
            of,
            `timeseries?period=${period}&granularity=${granularity}`,
          );
          expect(data.reduce((sum, point) => sum + point.sent, 0)).toBe(sent);
        }
      }
    }
    expect(await analytics(of, "overview")).toMatchObject({ total_sent: 111_111, period: "30d" });
    expect(await analytics(of, "timeseries")).toMatchObject({ period: "30d", granularity: "day" });
  });

  it.each(["overview", "timeseries", "domain-stats", "deliverability"])(
    "that is unknown is a 400 of %s",
    async (path) => {
      for (const period of ["1h", "", "30D", "7d%00", "__proto__"]) {
        const response = await workspace.get(`/v1/analytics/${path}?period=${period}`);
        expect([response.status, await response.json()]).toEqual([
          400,
          { detail: "period must be one of 24h, 7d, 30d, 90d" },
        ]);
      }
    },
  );

  it.each([
    "timeseries?granularity=week",
    "timeseries?granularity=",
    "domain-stats?limit=0",
    "domain-stats?limit=101",
    "deliverability?limit=x",
  ])("%s is a 422", async (path) => {
    expect((await workspace.get(`/v1/analytics/${path}`)).status).toBe(422);
  });
});

describe("recipient domains", () => {
  it("are ranked by recipients sent to, cut at the limit, and only of the workspace", async () => {
    const [of, other] = [await aWorkspace(), await aWorkspace()];
    for (let n = 1; n <= 25; n++)
      await aRollup(of, hoursAgo(n), `d${n}.example`, {
        sent: n,
        delivered: n,
        bounced: 1,
        opens: 2,
        clicks: 1,
        emails_sent: n,
      });
    await aRollup(other, hoursAgo(1), "foreign.example", { sent: 999 });
    const all = await analytics<{ domain: string }[]>(of, "domain-stats");
    expect(all.map(({ domain }) => domain)).toEqual(Array.from({ length: 20 }, (_, n) => `d${25 - n}.example`));
    expect(all[0]).toEqual({
      ...{
        domain: "d25.example",
        sent: 25,
        delivered: 25,
        bounced: 1,
        soft_bounced: 0,
        failed: 0,
        opens: 2,
        clicks: 1,
      },
    });
    expect(await analytics<unknown[]>(of, "domain-stats?limit=3")).toHaveLength(3);
    expect(await analytics<unknown[]>(of, "domain-stats?limit=100")).toHaveLength(25);
  });

  it("have rates of bounces, complaints and deferrals; none without emails", async () => {
    const of = await aWorkspace();
    await aRollup(of, hoursAgo(1), "a.example", {
      sent: 90,
      refused: 10,
      delivered: 79,
      bounced: 20,
      soft_bounced: 1,
      complained: 2,
      deferred: 25,
    });
    await aRollup(of, hoursAgo(2), "b.example", { deferred: 3 });
    expect(await analytics(of, "deliverability?period=24h")).toEqual({
      period: "24h",
      items: [
        {
          ...{ domain: "a.example", sent: 100, refused: 10, delivered: 79, bounced: 20, soft_bounced: 1, failed: 0 },
          ...{ complained: 2, deferred: 25, bounce_rate: 0.2, complaint_rate: 0.02, deferral_rate: 0.25 },
        },
        {
          ...{ domain: "b.example", sent: 0, refused: 0, delivered: 0, bounced: 0, soft_bounced: 0, failed: 0 },
          ...{ complained: 0, deferred: 3, bounce_rate: null, complaint_rate: null, deferral_rate: null },
        },
      ],
    });
  });

  it("beyond 2,000 count as `other`, by hour and by day, and all sums stay", async () => {
    const of = await aWorkspace();
    const day = Math.floor(hoursAgo(0) / 24) - 1;
    await aRollup(of, hoursAgo(100), "a.example", { sent: 1 });
    const rows = `INSERT INTO rollups_hourly (workspace, hour, domain, sent, emails_sent)
      SELECT ?1, ?2, 'd' || (value + ?3) || '.example', 1 + (value < 10), 1 + (value < 10) FROM json_each(?4)`;
    const numbers = JSON.stringify(Array.from({ length: 2_500 }, (_, n) => n));
    for (const [hour, from] of [
      [0, 0],
      [1, 1_000],
    ] as const)
      await mail
        .prepare(rows)
        .bind(of.workspaceNumber, day * 24 + hour, from, numbers)
        .run();
    await reopen();
    const before = await analytics<{ total_sent: number }>(of, "overview?period=7d");
    expect(before.total_sent).toBe(5_021);
    await runCloseHours(testContext());
    // A run sums 14 days, and other tests have roll-ups of 90.
    for (let at = 0; at < 7; at++) await runRetention(testContext());
    const counts = await database
      .prepare(
        "SELECT hour, count(*) AS domains, sum(sent) AS sent, sum(emails_sent) AS emails FROM rollups_hourly WHERE workspace = ?1 AND hour >= ?2 GROUP BY hour",
      )
      .bind(of.workspaceNumber, day * 24)
      .all();
    expect(counts.results).toEqual(
      [0, 1].map((hour) => ({ hour: day * 24 + hour, domains: 2_001, sent: 2_510, emails: 2_510 })),
    );
    const daily = await database.row(
      "SELECT count(*) AS domains, sum(sent) AS sent, sum(emails_sent) AS emails, max(domain = 'other') AS other FROM rollups_daily WHERE workspace = ?1 AND day = ?2",
      [of.workspaceNumber, day],
    );
    expect(daily).toEqual({ domains: 2_001, sent: 5_020, emails: 5_020, other: 1 });
    expect(await analytics(of, "overview?period=7d")).toEqual(before);
    const [first] = await analytics<{ domain: string; sent: number }[]>(of, "domain-stats?period=7d");
    expect(first?.domain).toBe("other");
  });
});

it("an API key that is restricted to domains gets 403, since counts cover the workspace", async () => {
  const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
  for (const path of ["overview", "timeseries", "domain-stats", "deliverability"])
    expect((await restricted.get(`/v1/analytics/${path}`)).status).toBe(403);
});
