import { beforeEach, describe, expect, it } from "vitest";
import { acceptEmail } from "../../support/accept-email.ts";
import { closedPort } from "../../support/closed-port.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { heldMails, holdingServer } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { type SmtpServerHandle, sinkServer } from "../../support/smtp-control.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  for (const table of ["outbox", "egress_waits", "receiver_domains"]) await database.run(`DELETE FROM ${table}`);
});

/** Accepts an email of the API and two that are sent to many. Returns their ids. */
async function acceptThree(): Promise<{ own: string; bulk: string[] }> {
  const { ctx } = recordingContext();
  const accept = (email: string) => acceptEmail(ctx, workspace, { to: [{ email }] });
  const own = await accept("own@one.test");
  const bulk = [await accept("bulk@one.test"), await accept("broadcast@one.test")];
  for (const [index, source] of ["bulk", "broadcast"].entries())
    await database.run("UPDATE emails SET source = ?1 WHERE id = ?2", [source, bulk[index]]);
  return { own, bulk };
}

const rcpts = async (server: SmtpServerHandle) => (await server.messages()).flatMap(({ rcpts }) => rcpts).toSorted();
const statusOf = async (id: string) => (await readEmail(workspace, id)).status;
const later = () => Date.now() + 1_000;

describe("BULK_EGRESS_URL", () => {
  it("takes broadcasts and bulk sends, and nothing else", async () => {
    const { own, bulk } = await acceptThree();
    const [main, other] = [await sinkServer(), await sinkServer()];
    await runOutboxAt(later(), { EGRESS_URL: main.url, BULK_EGRESS_URL: other.url }, ["deliver"]);
    expect(await rcpts(main)).toEqual(["RCPT TO:<own@one.test>"]);
    expect(await rcpts(other)).toEqual(["RCPT TO:<broadcast@one.test>", "RCPT TO:<bulk@one.test>"]);
    for (const id of [own, ...bulk]) expect(await statusOf(id)).toBe("delivered");
  });

  it("that cannot be reached holds up only its own mail, and is no outage of the other", async () => {
    const { own, bulk } = await acceptThree();
    const [main, { url }] = [await sinkServer(), await closedPort()];
    await runOutboxAt(later(), { EGRESS_URL: main.url, BULK_EGRESS_URL: url }, ["deliver"]);
    expect(await statusOf(own)).toBe("delivered");
    for (const id of bulk) {
      const { status, events } = await readEmail(workspace, id);
      expect(status).toBe("queued");
      expect(events.at(-1)).toMatchObject({ event_type: "deferred", metadata: { phase: "connect" } });
    }
    const waiting = await database.row("SELECT count(*) AS n FROM outbox WHERE outage IS NOT NULL");
    expect(waiting).toEqual({ n: 0 });
  });

  it("that is malformed lets its mail wait, and the other mail leave", async () => {
    const { own, bulk } = await acceptThree();
    const main = await sinkServer();
    await runOutboxAt(later(), { EGRESS_URL: main.url, BULK_EGRESS_URL: "http://x" }, ["deliver"]);
    expect(await statusOf(own)).toBe("delivered");
    for (const id of bulk) expect(await statusOf(id)).toBe("queued");
  });

  it("is not reachable without EGRESS_URL: other mail never leaves by it", async () => {
    const { own, bulk } = await acceptThree();
    const other = await sinkServer();
    await runOutboxAt(later(), { EGRESS_URL: "", BULK_EGRESS_URL: other.url }, ["deliver"]);
    expect(await statusOf(own)).toBe("queued");
    for (const id of bulk) expect(await statusOf(id)).toBe("delivered");
    expect(await rcpts(other)).not.toContain("RCPT TO:<own@one.test>");
  });

  it("has receivers of its own: one that is paused there takes other mail", async () => {
    const paused = "451 4.7.1 wait 600 s for one (One): 421 4.7.0 too much bulk mail";
    await acceptThree();
    const main = await holdingServer();
    const other = await holdingServer({ recipients: { "bulk@one.test": paused, "broadcast@one.test": paused } });
    const settings = { EGRESS_URL: main.url, BULK_EGRESS_URL: other.url };
    await runOutboxAt(later(), settings, ["deliver"]);
    expect(await heldMails(other)).toEqual([]);
    await acceptThree();
    await runOutboxAt(later() + 1_000, settings, ["deliver"]);
    expect(await heldMails(main)).toHaveLength(2);
    expect(await heldMails(other)).toEqual([]);
    expect((await other.commands()).filter((line) => line.startsWith("RCPT")).length).toBeLessThanOrEqual(2);
  });
});
