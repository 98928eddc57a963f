import { describe, expect, it } from "vitest";
import { decideReadiness, toPrometheus } from "../../../../src/operations/metrics/rules.ts";

const NOW = 1_795_000_000_000;
const answering = (database: "main" | number) => ({
  database,
  error: null as string | null,
  reason: null as string | null,
  kinds: [] as { kind: string; oldestAt: number }[],
  waitingForEgress: 0,
  quarantined: 0,
});
const failing = (database: "main" | number) => ({ ...answering(database), error: "down", reason: "does not respond" });
const dueFor = (seconds: number, kind = "deliver") => ({
  ...answering(0),
  kinds: [{ kind, oldestAt: NOW - seconds * 1000 }],
});
const decide = (outboxes: ReturnType<typeof answering>[], egress = "configured", settingIssues: string[] = []) =>
  decideReadiness(
    {
      settingIssues,
      egressIssues: [],
      zoneIssues: [],
      cfblIssues: [],
      egress,
      hasEgressResponded: false,
      systemMail: "configured",
      outboxes,
    },
    NOW,
  );

describe("readiness", () => {
  it.each([
    ["everything responses", [answering("main"), answering(0), answering(1)], "ready"],
    ["one of two mail databases fails", [answering("main"), failing(0), answering(1)], "degraded"],
    ["no mail database responds", [answering("main"), failing(0), failing(1)], "not_ready"],
    ["the main database fails", [failing("main"), answering(0), answering(1)], "not_ready"],
    ["a row is due for ten minutes", [answering("main"), dueFor(600)], "ready"],
    ["a row is due for longer", [answering("main"), dueFor(601)], "degraded"],
    [
      "a row of a broadcast, which may be paused, is due for a day",
      [answering("main"), dueFor(86_400, "bulk")],
      "ready",
    ],
    ["the egress did not response of late", [answering("main"), { ...answering(0), waitingForEgress: 3 }], "degraded"],
  ] as const)("%s", (_, outboxes, status) => {
    expect(decide([...outboxes]).status).toBe(status);
  });

  it.each(["not_configured", "malformed", "no_mailbox"] as const)(
    "is degraded, and no failure, while the service cannot send its own emails: %s",
    (systemMail) => {
      const findings = {
        settingIssues: [],
        egressIssues: [],
        zoneIssues: [],
        cfblIssues: [],
        egress: "configured",
        hasEgressResponded: false,
        systemMail,
        outboxes: [answering("main"), answering(0)],
      };
      expect(decideReadiness(findings, NOW)).toMatchObject({ status: "degraded", system_mail: systemMail });
      expect(decideReadiness({ ...findings, systemMail: "unknown" }, NOW).status).toBe("ready");
    },
  );

  it("is back when the egress has responded, although emails still wait for their turn", () => {
    const outboxes = [answering("main"), { ...answering(0), waitingForEgress: 3 }];
    const found = {
      settingIssues: [],
      egressIssues: [],
      zoneIssues: [],
      cfblIssues: [],
      egress: "configured",
      systemMail: "configured" as const,
      outboxes,
    };
    expect(decideReadiness({ ...found, hasEgressResponded: false }, NOW)).toMatchObject({ egress: "unreachable" });
    const back = decideReadiness({ ...found, hasEgressResponded: true }, NOW);
    expect(back).toMatchObject({ status: "ready", egress: "configured", details: { waiting_for_egress: 3 } });
  });

  it("is degraded while a further egress is malformed: mail of the others leaves", () => {
    const outboxes = [answering("main"), answering(0)];
    const found = {
      settingIssues: [],
      zoneIssues: [],
      cfblIssues: [],
      egress: "configured",
      systemMail: "configured" as const,
      outboxes,
    };
    const egressIssues = ["NAMED_EGRESS_URLS: east: has a path"];
    expect(decideReadiness({ ...found, hasEgressResponded: false, egressIssues }, NOW)).toMatchObject({
      status: "degraded",
      details: { egress_issues: egressIssues },
    });
  });

  it("is missing without an egress and with issues of the settings", () => {
    expect(decide([answering("main"), answering(0)], "malformed").status).toBe("not_ready");
    expect(decide([answering("main"), answering(0)], "configured", ["PUBLIC_URL: a placeholder"]).status).toBe(
      "not_ready",
    );
  });

  it("names failing databases, the oldest due row and the rows that wait for the egress", () => {
    const { details } = decide([answering("main"), failing(1), { ...dueFor(90), waitingForEgress: 7 }]);
    expect(details).toEqual({
      setting_issues: [],
      egress_issues: [],
      zone_issues: [],
      cfbl_issues: [],
      failing_databases: [1],
      oldest_due_seconds: 90,
      waiting_for_egress: 7,
    });
  });
});

describe("the Prometheus text", () => {
  it("escapes labels and leaves out figures without samples", () => {
    const text = toPrometheus([
      { name: "a", help: "A figure.", samples: [{ labels: { queue: 'x"\\\n' }, value: 2 }, { value: 0.5 }] },
      { name: "b", help: "None.", samples: [] },
    ]);
    expect(text).toBe('# HELP a A figure.\n# TYPE a gauge\na{queue="x\\"\\\\\\n"} 2\na 0.5\n');
  });
});
