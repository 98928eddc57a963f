/** Each receiver has a queue, a pace and connections of its own. */
import { describe, expect, it } from "vitest";
import { egressRigs } from "./support/egress/rigs.ts";

const aRig = egressRigs();
const paced = (messagesPerMinute: number, rules: object[] = []) => ({
  receivers: [{ name: "paced", label: "Paced", mxSuffixes: [".paced.test"], limits: { messagesPerMinute }, rules }],
});
const names = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`);

describe("a receiver that never answers", () => {
  it("holds up no other, however many emails wait for it", async () => {
    const rig = await aRig({}, { memoryBytes: 2 * 1024 * 1024 });
    await rig.receiver("quick");
    const rounds = async () => {
      const start = performance.now();
      for (const name of names(30)) {
        await rig.handOver({ to: [`${name}@quick.test`] });
        await expect.poll(() => rig.worker.resultsOf(`${name}@quick.test`).length).toBeGreaterThan(0);
        rig.worker.acknowledged.splice(0);
      }
      return performance.now() - start;
    };
    const alone = await rounds();
    const text = `${"x".repeat(998)}\r\n`.repeat(5);
    for (const tarpit of ["one", "two", "three", "four", "five"]) {
      await rig.receiver(tarpit, { greeting: { silent: true } });
      const results = await Promise.all(
        names(200).map((name) => rig.handOver({ to: [`${name}@${tarpit}.test`], text })),
      );
      const replies = results.map(([result]) => (result?.kind === "deferred" ? result.reply?.text : result?.kind));
      expect(replies).toContain("accepted");
      expect(replies.at(-1)).toMatch(
        new RegExp(`^wait \\d+ s for ${tarpit}\\.test \\(${tarpit}\\.test\\): its rate is used up$`),
      );
    }
    expect(await rounds()).toBeLessThan(2 * alone + 1_000);
  });

  it("costs its emails one wait for an answer, and not one for each", async () => {
    const rig = await aRig({ greetingMs: 300 });
    const server = await rig.receiver("tarpit", { greeting: { silent: true } });
    for (const name of names(20)) await rig.handOver({ to: [`${name}@tarpit.test`] });
    await expect.poll(() => names(20).flatMap((name) => rig.worker.resultsOf(`${name}@tarpit.test`)).length).toBe(20);
    expect(rig.worker.resultsOf("r19@tarpit.test")).toMatchObject([
      { kind: "deferred", phase: "greeting", reply: null },
    ]);
    expect(server.counters.connections).toBeLessThanOrEqual(2);
  });
});

describe("the rate of a receiver", () => {
  it("keeps short waits in memory, tells longer ones at RCPT, and takes these when their time has come", async () => {
    const rig = await aRig({ waitMs: 1_500 }, paced(60));
    const server = await rig.receiver("paced");
    const replies = [];
    for (const name of names(5)) replies.push(...(await rig.handOver({ to: [`${name}@paced.test`] })));
    expect(replies.map(({ kind }) => kind)).toEqual(["accepted", "accepted", "deferred", "deferred", "deferred"]);
    expect(replies.slice(2).map((result) => "reply" in result && result.reply?.text)).toEqual([
      "wait 2 s for paced (Paced): its rate is used up",
      "wait 3 s for paced (Paced): its rate is used up",
      "wait 4 s for paced (Paced): its rate is used up",
    ]);
    await expect.poll(() => server.messages.length).toBe(2);
    const third = async () => (await rig.handOver({ to: ["r2@paced.test"] }))[0]?.kind;
    await expect.poll(third).toBe("accepted");
    await expect.poll(() => server.messages.length).toBe(3);
    const [first = 0, second = 0] = server.arrivals;
    expect(second - first).toBeGreaterThan(900);
  });

  it("is not that of another receiver", async () => {
    const rig = await aRig({ waitMs: 500 }, paced(1));
    await rig.receiver("paced");
    const other = await rig.receiver("other");
    for (const name of names(10)) await rig.handOver({ to: [`${name}@paced.test`, `${name}@other.test`] });
    await expect.poll(() => other.messages.length).toBe(10);
  });
});

describe("a reply that a rule knows", () => {
  const rule = { pattern: "too eager", threshold: 1, action: { kind: "pause-receiver" }, minutes: 30 };

  it("pauses the receiver: RCPT names the reply, and emails that wait go back to the outbox", async () => {
    const rig = await aRig({}, paced(600, [rule]));
    const server = await rig.receiver("paced", {
      transactions: [{ dot: "451 4.7.1 You are too eager" }],
      latencyMs: 50,
    });
    const emails = names(30).map((name) => rig.handOver({ to: [`${name}@paced.test`] }));
    // On a machine with much to do, some come when the receiver is already paused.
    const late = (await Promise.all(emails)).flat().filter(({ kind }) => kind === "deferred").length;
    const results = () => names(30).flatMap((name) => rig.worker.resultsOf(`${name}@paced.test`));
    await expect.poll(() => results().length).toBe(30 - late);
    const waiting = results().filter(({ kind }) => kind === "paced");
    expect(waiting.length + late).toBeGreaterThan(20);
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting[0]).toMatchObject({ receiver: "paced", label: "Paced", reason: "451 4.7.1 You are too eager" });
    const [next] = await rig.handOver({ to: ["next@paced.test"] });
    expect(next).toMatchObject({ kind: "deferred", phase: "rcpt", reply: { code: 451, enhanced: "4.7.1" } });
    const text = next?.kind === "deferred" ? next.reply?.text : "";
    expect(text).toMatch(/^wait 18\d\d s for paced \(Paced\): 451 4\.7\.1 You are too eager$/);
    expect(server.messages.length).toBeLessThan(5);
  });

  it("pauses the source address for all receivers", async () => {
    const rig = await aRig({}, paced(6_000, [{ ...rule, action: { kind: "pause-source" } }]));
    await rig.receiver("paced", { transactions: [{ mail: "550 5.7.1 You are too eager" }] });
    await rig.receiver("other");
    await rig.handOver({ to: ["a@other.test"] });
    await rig.handOver({ to: ["a@paced.test"] });
    await expect.poll(() => rig.worker.resultsOf("a@paced.test").length).toBe(1);
    for (const name of ["other", "paced"])
      expect((await rig.handOver({ to: [`b@${name}.test`] }))[0]).toMatchObject({ kind: "deferred", phase: "rcpt" });
  });

  it("turns a temporary refusal into a permanent one, or the other way round", async () => {
    const bounce = { pattern: "never here", threshold: 1, action: { kind: "bounce" } };
    const temporary = {
      pattern: "not today",
      threshold: 5,
      action: { kind: "pause-receiver" },
      minutes: 1,
      isTemporary: true,
    };
    const rig = await aRig({}, paced(6_000, [bounce, temporary]));
    const recipients = { "a@paced.test": "450 4.2.0 never here", "b@paced.test": "550 5.7.1 not today" };
    await rig.receiver("paced", { recipients });
    await rig.handOver({ to: ["a@paced.test", "b@paced.test"] });
    await expect
      .poll(() => rig.worker.resultsOf("a@paced.test"))
      .toMatchObject([{ kind: "recipient-refused", reply: { code: 450 } }]);
    expect(rig.worker.resultsOf("b@paced.test")).toMatchObject([{ kind: "deferred", reply: { code: 550 } }]);
  });
});

describe("the warm-up", () => {
  it("allows the messages of a day, and says when the next one begins", async () => {
    const rig = await aRig({}, { warmUp: { since: Date.now() - 3_600_000 } });
    await rig.receiver("one");
    await expect.poll(async () => (await rig.handOver({ to: ["r@one.test"] }))[0]?.kind).toBe("accepted");
    const results = await Promise.all(names(99).map((name) => rig.handOver({ to: [`${name}@one.test`] })));
    expect(results.filter(([result]) => result?.kind === "accepted")).toHaveLength(99);
    const [last] = await rig.handOver({ to: ["last@one.test"] });
    expect(last?.kind === "deferred" && last.reply?.text).toMatch(
      /^wait 8\d{4} s for one\.test \(one\.test\): warm-up day 1 allows 100$/,
    );
  });

  it.each([null, { since: null }, { since: Date.UTC(2026, 10, 20) }])(
    "is told to the Worker once when the egress starts: %j",
    async (warmUp) => {
      const rig = await aRig({}, { warmUp, name: "relay.example.com", sourceAddress: "127.0.0.1" });
      const told = { address: "127.0.0.1", name: "relay.example.com", warm_up: warmUp };
      await expect.poll(() => rig.worker.volumeCalls).toEqual([told]);
    },
  );

  it("goes on after a restart with what the Worker knows, and takes no email before it knows that", async () => {
    const rig = await aRig({}, { warmUp: { since: null } }, (worker) => {
      worker.mode = "fails";
      const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
      worker.volumes = [{ receiver: "one.test", today: 399, since: today - 2 * 86_400_000 }];
    });
    await rig.receiver("one");
    await rig.receiver("new");
    const replyTo = async (address: string) => {
      const [result] = await rig.handOver({ to: [address] });
      return result?.kind === "deferred" ? result.reply?.text : result?.kind;
    };
    expect(await replyTo("a@one.test")).toBe("The egress does not know yet how much it has sent today");
    rig.worker.mode = "works";
    await expect.poll(() => replyTo("a@one.test")).toBe("accepted");
    expect(await replyTo("b@one.test")).toMatch(/: warm-up day 3 allows 400$/);
    expect(await replyTo("a@new.test")).toBe("accepted");
  });
});
