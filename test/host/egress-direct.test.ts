/** Emails without a ticket, such as forwards: the Worker waits for the word of the receiver. */
import { describe, expect, it } from "vitest";
import { egressRigs } from "./support/egress/rigs.ts";

const aRig = egressRigs();

describe("an email without a ticket", () => {
  it("is accepted when its receiver has accepted it, and nothing is reported", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one", { transactions: [{ dot: "250 2.0.0 Ok: queued as 4F2" }] });
    const [result] = await rig.handOver({ to: ["a@one.test"], ticket: null });
    expect(result).toMatchObject({ kind: "accepted", reply: { code: 250 } });
    expect(JSON.stringify(result)).toContain("queued as 4F2");
    expect(server.messages).toHaveLength(1);
    expect(rig.worker.acknowledged).toEqual([]);
  });

  for (const [name, script, expected] of [
    [
      "refuses its recipient",
      { recipients: { "a@one.test": "550 5.1.1 No such user" } },
      { code: 550, enhanced: "5.1.1" },
    ],
    ["refuses its content", { transactions: [{ dot: "554 5.7.1 Spam" }] }, { code: 554, enhanced: "5.7.1" }],
    ["defers it", { transactions: [{ dot: "451 4.7.1 Later" }] }, { code: 451, enhanced: "4.7.1" }],
    ["ends the connection", { transactions: [{ dot: { drop: true as const } }] }, { code: 451, enhanced: "4.4.0" }],
  ] as const)
    it(`gets the word of a receiver that ${name}`, async () => {
      const rig = await aRig();
      await rig.receiver("one", script);
      const [result] = await rig.handOver({ to: ["a@one.test"], ticket: null });
      expect(result).toMatchObject({ phase: "final-dot", reply: expected });
      expect(rig.worker.acknowledged).toEqual([]);
    });

  it("has one recipient, and a strange ENVID is deferred", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    const results = await rig.handOver({ to: ["a@one.test", "b@one.test"], ticket: null });
    expect(results.map(({ kind }) => kind)).toEqual(["accepted", "deferred"]);
    expect(server.messages).toHaveLength(1);
    const [strange] = await rig.handOver({ to: ["a@one.test"], ticket: "strange" });
    expect(strange).toMatchObject({ kind: "deferred", reply: { code: 451, enhanced: "4.5.4" } });
  });
});
