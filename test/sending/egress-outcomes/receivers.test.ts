import { beforeEach, describe, expect, it } from "vitest";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { heldMails, holdingServer, report, results } from "../../support/holding-egress.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import { apiWith, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  for (const table of ["outbox", "receiver_domains", "egress_waits", "egress_volume"])
    await database.run(`DELETE FROM ${table}`);
});

/** Delivers an email to each address. */
async function deliverTo(addresses: readonly string[], receiver: string): Promise<void> {
  const server = await holdingServer();
  for (const email of addresses) await acceptEmail(recordingContext().ctx, workspace, { to: [{ email }] });
  await runOutboxAt(Date.now() + 1_000, { EGRESS_URL: server.url }, ["deliver"]);
  const held = await heldMails(server);
  await report(held.map((mail) => ({ ...mail, result: { ...results.accepted, receiver } })));
}

describe("what is known of receivers", () => {
  it("is the volume that a source address has sent them, which its warm-up begins with after a restart", async () => {
    await deliverTo(["a@gmail.test", "b@corp.test"], "google");
    await deliverTo(["c@hotmail.test"], "outlook");
    const ask = async (address: string) =>
      (await apiWith(null).post("/gateway/volume", { address }, GATEWAY_HEADERS)).json<{ receivers: unknown[] }>();
    const since = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    expect((await ask("192.0.2.1")).receivers).toEqual([
      { receiver: "google", today: 2, since },
      { receiver: "outlook", today: 1, since },
    ]);
    expect((await ask("192.0.2.2")).receivers).toEqual([]);
  });

  it("groups the statistics of domains, and leaves unknown ones by themselves", async () => {
    await deliverTo(["a@gmail.test", "b@corp.test"], "google");
    await deliverTo(["c@hotmail.test"], "outlook");
    await database.run("DELETE FROM receiver_domains WHERE domain = 'hotmail.test'");
    const stats = async (query: string) =>
      (
        await (
          await workspace.get(`/v1/analytics/domain-stats${query}`)
        ).json<{ domain: string; delivered: number }[]>()
      ).map(({ domain, delivered }) => [domain, delivered]);
    expect(await stats("?group_by=receiver")).toEqual([
      ["google", 2],
      ["hotmail.test", 1],
    ]);
    expect(await stats("")).toEqual([
      ["corp.test", 1],
      ["gmail.test", 1],
      ["hotmail.test", 1],
    ]);
    expect((await workspace.get("/v1/analytics/domain-stats?group_by=mx")).status).toBe(422);
  });
});
