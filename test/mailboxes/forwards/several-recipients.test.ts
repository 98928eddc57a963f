/** One message for several addresses of a mailbox, as by Bcc or from a list: its header names none of them. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { failingDatabase, seeded } from "../../support/failures.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aRule, confirmTarget } from "../forwarding-rules/support.ts";
import { aRawMessage } from "../inbound/support.ts";
import { arrive, collectingEgress, eventsOf, forwardAt } from "./support.ts";

const workspace = perTest(aWorkspace);
let catchAllId: string;
const at = (local: string) => `${local}@${workspace.domain}`;
const teamOf = (local: string) => `${local}-team@example.net`;

beforeEach(async () => {
  catchAllId = (await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "*" })).id;
});

/** Has the mail for an address forwarded to a team; null: that for every address. */
async function forwardTo(local: string | null, target = teamOf(local ?? "every")) {
  await confirmTarget(workspace, target);
  await aRule(workspace, {
    ...(local === null ? {} : { match: { to: at(local) } }),
    action: { type: "address", target },
  });
}

const message = () => aRawMessage({ To: "list@example.org" });
const targets = async () => {
  const { egress, sent } = collectingEgress();
  await forwardAt(workspace, egress);
  return sent.map(({ to }) => to).sort();
};
const stored = async () =>
  (await env.MAILBOX.getByName(catchAllId).list("INBOX", { limit: 50, offset: 0 }))?.items.length;
const logged = async () => {
  const results = await database.rows<{ recipient: string }>(
    "SELECT recipient FROM inbound_emails WHERE workspace = ?1 ORDER BY n",
    [workspace.workspaceNumber],
  );
  return results.map(({ recipient }) => recipient);
};

describe("a message for several addresses of one mailbox", () => {
  it("is stored once, and forwarded by the rules of each address, once by each", async () => {
    for (const local of ["info", "sales", "help", null]) await forwardTo(local);
    const raw = message();
    for (const local of ["info", "sales", "help", "sales", "info", "HELP"]) await arrive(at(local), raw);
    expect(await stored()).toBe(1);
    expect(await logged()).toEqual(["info", "sales", "help"].map(at));
    expect(await targets()).toEqual(["every", "help", "info", "sales"].map(teamOf).sort());
    for (const local of ["help", "info", "sales"]) await arrive(at(local), raw);
    expect(await targets()).toEqual([]);
    expect((await eventsOf(workspace)).map(({ event }) => event).sort()).toEqual([
      ...Array(4).fill("forwarded"),
      ...Array(3).fill("stored"),
    ]);
  });

  it("is forwarded by a rule that its header meets once, whichever address is delivered first", async () => {
    await forwardTo("info");
    const raw = aRawMessage({ To: `${at("info")}, ${at("sales")}` });
    for (const local of ["sales", "info", "sales"]) await arrive(at(local), raw);
    expect(await targets()).toEqual([teamOf("info")]);
  });

  it("is forwarded for each address when they are delivered at once", async () => {
    for (const local of ["info", "sales", "help", null]) await forwardTo(local);
    const raw = message();
    await Promise.all(["info", "sales", "help"].map((local) => arrive(at(local), raw)));
    expect([await stored(), await targets()]).toEqual([1, ["every", "help", "info", "sales"].map(teamOf).sort()]);
  });

  it("is forwarded for each address when the first delivery failed after it was stored", async () => {
    for (const local of ["info", "sales"]) await forwardTo(local);
    const raw = message();
    const injection = {
      random: seeded(1),
      chance: 1,
      bindings: ["database" as const],
      moments: ["before" as const],
      count: 0,
    };
    const bindings = { MAIL_0: failingDatabase(env.MAIL_0, injection), MAIL_1: failingDatabase(env.MAIL_1, injection) };
    await expect(arrive(at("info"), raw, { bindings })).rejects.toThrow();
    for (const local of ["sales", "info"]) expect(await arrive(at(local), raw)).toBeNull();
    expect([await stored(), await targets()]).toEqual([1, ["info", "sales"].map(teamOf)]);
  });
});
