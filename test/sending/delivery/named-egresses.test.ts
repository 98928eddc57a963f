/** Workspaces and domains with an egress of their own (NAMED_EGRESS_URLS). */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { parseNamedEgresses } from "../../../src/platform/settings/named-egresses.ts";
import { egressNamed } from "../../../src/sending/delivery/egresses/egresses.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { closedPort } from "../../support/closed-port.ts";
import { countingDb, rowsRead } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { assignEgress, namedEgresses } from "../../support/named-egresses.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { type SmtpServerHandle, sinkServer } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aWorkspace, perTest, recordingContext, type TestWorkspace } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  for (const table of ["outbox", "egress_waits", "receiver_domains"]) await database.run(`DELETE FROM ${table}`);
});

/** Accepts an email of a workspace and returns its id. `source`: as if it was sent to many. */
async function accept(of: TestWorkspace, email: string, source = "api"): Promise<string> {
  const id = await acceptEmail(recordingContext().ctx, of, { to: [{ email }] });
  await database.run("UPDATE emails SET source = ?1 WHERE id = ?2", [source, id]);
  return id;
}

const addresses = async (server: SmtpServerHandle) =>
  (await server.messages()).flatMap(({ rcpts }) => rcpts.map(pathIn)).toSorted();
const statusOf = async (of: TestWorkspace, id: string) => (await readEmail(of, id)).status;
const later = () => Date.now() + 1_000;
const waitingForOutage = () => database.value("SELECT count(*) AS n FROM outbox WHERE outage IS NOT NULL");

describe("an email leaves", () => {
  it("by the egress of its domain, else of its workspace, else of bulk mail, else of all, and by no other", async () => {
    const [ofDomain, ofWorkspace] = [await aWorkspace(), await aWorkspace()];
    await assignEgress(ofDomain, { workspace: "west", domain: "east" });
    await assignEgress(ofWorkspace, { workspace: "west" });
    const [main, bulk, east, west] = await Promise.all([sinkServer(), sinkServer(), sinkServer(), sinkServer()]);
    for (const [of, name] of [
      [workspace, "all"] as const,
      [ofDomain, "domain"] as const,
      [ofWorkspace, "ws"] as const,
    ]) {
      await accept(of, `${name}@one.test`);
      await accept(of, `${name}-list@one.test`, "broadcast");
    }
    const NAMED_EGRESS_URLS = namedEgresses({ east: east.url, west: west.url });
    await runOutboxAt(later(), { EGRESS_URL: main.url, BULK_EGRESS_URL: bulk.url, NAMED_EGRESS_URLS }, ["deliver"]);
    expect(await addresses(main)).toEqual(["all@one.test"]);
    expect(await addresses(bulk)).toEqual(["all-list@one.test"]);
    expect(await addresses(east)).toEqual(["domain-list@one.test", "domain@one.test"]);
    expect(await addresses(west)).toEqual(["ws-list@one.test", "ws@one.test"]);
  });

  it("by its egress also without EGRESS_URL, while other mail waits", async () => {
    const own = await aWorkspace();
    await assignEgress(own, { domain: "east" });
    const ids = [await accept(own, "own@one.test"), await accept(workspace, "other@one.test")] as const;
    const east = await sinkServer();
    await runOutboxAt(later(), { EGRESS_URL: "", NAMED_EGRESS_URLS: namedEgresses({ east: east.url }) }, ["deliver"]);
    expect([await statusOf(own, ids[0]), await statusOf(workspace, ids[1])]).toEqual(["delivered", "queued"]);
    expect(await addresses(east)).toEqual(["own@one.test"]);
  });
});

it("a URL with port 25 is an error of the setting in a deployment, and none in local work", () => {
  const settings = {
    egressUrl: "smtp://a.test:25",
    bulkEgressUrl: "smtp://b.test:25",
    namedEgresses: parseNamedEgresses("east=smtp://c.test:25"),
  };
  const reason = "has port 25, to which no Cloudflare Worker can connect; take 587 (smtp://) or 465 (smtps://)";
  const deployed = { ...settings, placeholders: [], isLocal: false };
  for (const [name, setting] of [
    ["main", "EGRESS_URL"],
    ["bulk", "BULK_EGRESS_URL"],
    ["east", "NAMED_EGRESS_URLS: east"],
  ] as const) {
    expect(egressNamed(deployed, name)).toEqual({ name, issue: "malformed", detail: `${setting}: ${reason}` });
    expect(egressNamed({ ...deployed, isLocal: true }, name)).not.toHaveProperty("issue");
  }
});

describe("an egress that", () => {
  const unusable = [
    ["the setting does not have", "", "not_configured", "NAMED_EGRESS_URLS has no egress east"],
    ["has a malformed URL", "east=smtp://user:hunter2@host/path", "malformed", "NAMED_EGRESS_URLS: east: has a path"],
    [
      "has two URLs",
      "east=smtp://a.test east=smtp://b.test",
      "malformed",
      "NAMED_EGRESS_URLS: east has no URL, or two",
    ],
  ] as const;
  it.each(unusable)(
    "%s lets its mail wait, says why, and is no outage",
    async (_, NAMED_EGRESS_URLS, egress, detail) => {
      const own = await aWorkspace();
      await assignEgress(own, { domain: "east", workspace: "west" });
      const id = await accept(own, "own@one.test");
      const other = await accept(workspace, "other@one.test");
      const [main, bulk] = [await sinkServer(), await sinkServer()];
      const logged = vi.spyOn(console, "log");
      const settings = { EGRESS_URL: main.url, BULK_EGRESS_URL: bulk.url, NAMED_EGRESS_URLS };
      await runOutboxAt(later(), settings, ["deliver"]);
      const lines = logged.mock.calls.map(([line]) => String(line));
      logged.mockRestore();
      expect(await addresses(main)).toEqual(["other@one.test"]);
      expect(await statusOf(workspace, other)).toBe("delivered");
      expect(await addresses(bulk)).toEqual([]);
      const { status, events } = await readEmail(own, id);
      expect(status).toBe("queued");
      expect(events.at(-1)).toMatchObject({ event_type: "deferred", metadata: { egress } });
      expect(await waitingForOutage()).toBe(0);
      const issues = lines.filter((line) => line.includes("egress.unavailable")).map((line) => JSON.parse(line));
      expect(issues).toEqual([expect.objectContaining({ issue: egress, detail: expect.stringContaining(detail) })]);
      expect(lines.join()).not.toContain("hunter2");
      const back = await sinkServer();
      await runOutboxAt(later() + 600_000, { ...settings, NAMED_EGRESS_URLS: namedEgresses({ east: back.url }) });
      expect(await statusOf(own, id)).toBe("delivered");
      expect(await addresses(back)).toEqual(["own@one.test"]);
    },
  );

  it("cannot be reached defers only its own mail, and begins and ends no outage", async () => {
    const own = await aWorkspace();
    await assignEgress(own, { workspace: "east" });
    const [closed, down] = [await closedPort(), await closedPort()];
    const id = await accept(own, "own@one.test");
    const other = await accept(workspace, "other@one.test");
    const start = later();
    const EGRESS_URL = down.url;
    await runOutboxAt(start, { EGRESS_URL, NAMED_EGRESS_URLS: namedEgresses({ east: closed.url }) }, ["deliver"]);
    expect((await readEmail(own, id)).events.at(-1)).toMatchObject({ metadata: { phase: "connect" } });
    expect(await waitingForOutage()).toBe(1);
    const east = await closed.open();
    await runOutboxAt(start + 70_000, { EGRESS_URL, NAMED_EGRESS_URLS: namedEgresses({ east: closed.url }) });
    expect(await addresses(east)).toEqual(["own@one.test"]);
    const rows = await database.prepare("SELECT kind, outage FROM outbox").all();
    // No retry step: only the egress that is down could end its outage.
    expect(rows.results).toEqual([{ kind: "deliver", outage: "waiting" }]);
    expect(await statusOf(workspace, other)).toBe("queued");
  });

  it("reports a delivery ends no outage of EGRESS_URL", async () => {
    const own = await aWorkspace();
    await assignEgress(own, { workspace: "east" });
    const [east, down] = [await holdingServer(), await closedPort()];
    const [id, other] = [await accept(own, "own@one.test"), await accept(workspace, "other@one.test")];
    const settings = { EGRESS_URL: down.url, NAMED_EGRESS_URLS: namedEgresses({ east: east.url }) };
    await runOutboxAt(later(), settings, ["deliver"]);
    expect(await waitingForOutage()).toBe(1);
    await report((await heldMails(east)).map((mail) => ({ ...mail, result: results.accepted })));
    expect(await statusOf(own, id)).toBe("delivered");
    const rows = await database.prepare("SELECT kind, outage FROM outbox").all();
    expect(rows.results).toEqual([{ kind: "deliver", outage: "waiting" }]);
    expect(await statusOf(workspace, other)).toBe("queued");
  });

  it("tells of a pause of a receiver stops its own mail to that, and other mail leaves", async () => {
    const own = await aWorkspace();
    await assignEgress(own, { domain: "east" });
    const paused = "451 4.7.1 wait 600 s for one (One): 421 4.7.0 too much mail";
    const [main, east] = [await holdingServer(), await holdingServer({ recipients: { "own@one.test": paused } })];
    const settings = { EGRESS_URL: main.url, NAMED_EGRESS_URLS: namedEgresses({ east: east.url }) };
    for (const seconds of [0, 1]) {
      await accept(own, "own@one.test");
      await accept(workspace, "other@one.test");
      await runOutboxAt(later() + seconds * 1_000, settings, ["deliver"]);
    }
    expect(await heldMails(main)).toHaveLength(2);
    expect(await heldMails(east)).toEqual([]);
    expect((await east.commands()).filter((line) => line.startsWith("RCPT"))).toHaveLength(1);
    const waits = await database.prepare("SELECT receiver, egress FROM egress_waits").all();
    expect(waits.results).toEqual([{ receiver: "one", egress: "east" }]);
  });
});

describe("a claim", () => {
  it("makes as many D1 calls with assigned egresses, of as many statements, and reads as many rows", async () => {
    const measured = [];
    for (const name of [null, "east"]) {
      const own = await aWorkspace();
      await assignEgress(own, { domain: name, workspace: name });
      for (const n of [1, 2, 3]) await accept(own, `a${n}@one.test`);
      const { bindings, trips } = countingDb();
      const east = await sinkServer();
      const settings = { EGRESS_URL: east.url, NAMED_EGRESS_URLS: namedEgresses({ east: `${east.url}&ehlo=a.test` }) };
      await runOutboxAt(later(), { ...settings, ...bindings }, ["deliver"]);
      expect(await addresses(east)).toHaveLength(3);
      const reads = trips.flatMap(({ statements }) => statements).filter(({ sql }) => /json_each\(\?1\) j /.test(sql));
      const rows = await Promise.all(reads.map(rowsRead));
      const statements = trips.map(({ statements }) => statements.length);
      // Only a success by EGRESS_URL ends an outage, which is a statement of the last call, that of the outcomes.
      measured.push({ statements: statements.with(-1, (statements.at(-1) ?? 0) - Number(name === null)), rows });
    }
    expect(measured[0]?.rows.length).toBeGreaterThanOrEqual(3);
    expect(measured[1]).toEqual(measured[0]);
  });
});
