/** The file with which an operator adds receivers and changes those of the table. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { isTemporary, noteReply } from "../../../smtp-egress/receivers/reactions.ts";
import { readReceivers } from "../../../smtp-egress/receivers/read-receivers.ts";

const read = (file: unknown) => readReceivers(JSON.stringify(file));
const slow = { kind: "slow", messagesPerMinute: 30 };
const rule = { pattern: "slow down", threshold: 2, action: slow, minutes: 10 };

describe("the file of an operator", () => {
  it("may be empty, and then the table is as it is", () => {
    expect(read({}).receiverOf(["aspmx.l.google.com"])).toMatchObject({ name: "google", limits: { connections: 5 } });
  });

  it("may be a list of receivers alone", () => {
    const receivers = read([{ name: "acme", mxSuffixes: [".acme.example"] }]);
    expect(receivers.receiverOf(["mx.acme.example"]).name).toBe("acme");
  });

  it("adds a receiver with limits and rules", () => {
    const acme = {
      name: "acme",
      label: "Acme Mail",
      mxSuffixes: [".mx.acme.example"],
      limits: { connections: 2 },
      rules: [rule],
    };
    const found = read({ receivers: [acme] }).receiverOf(["in1.mx.acme.example"]);
    expect(found).toMatchObject({ name: "acme", label: "Acme Mail", limits: { connections: 2 } });
    const now = Date.UTC(2026, 10, 23);
    const noted = [0, 1].reduce(
      ({ seen }) => noteReply(seen, found.rules, { reply: "421 Please Slow Down", now }),
      noteReply(new Map(), [], { reply: "", now }),
    );
    expect(noted.reaction).toEqual({
      action: { kind: "slow", messagesPerMinute: 30 },
      until: now + 600_000,
      reply: "421 Please Slow Down",
    });
  });

  it("is the example of the documents", () => {
    const document = readFileSync(path.join(import.meta.dirname, "../../../docs/egress/own-egress.md"), "utf8");
    const receivers = readReceivers(/```json\n([\s\S]*?)```/.exec(document)?.[1] ?? "");
    expect(receivers.receiverOf(["in.mx.acme.example"])).toMatchObject({ label: "Acme Mail", rules: [{}, {}] });
    expect(receivers.receiverOf(["aspmx.l.google.com"]).limits).toMatchObject({
      connections: 3,
      messagesPerMinute: 600,
    });
  });

  it("takes the name for the label of a receiver without one", () => {
    expect(
      read({ receivers: [{ name: "acme", mxSuffixes: [".acme.example"] }] }).receiverOf(["mx.acme.example"]).label,
    ).toBe("acme");
  });

  it("changes single limits of a known receiver, puts its rules before those of the table, and adds hosts", () => {
    const receivers = read({
      receivers: [{ name: "google", limits: { connections: 3 }, rules: [rule], mxSuffixes: [".mx.own.example"] }],
    });
    const google = receivers.receiverOf(["aspmx.l.google.com"]);
    expect(google).toMatchObject({ label: "Google", limits: { connections: 3, messagesPerConnection: 50 } });
    expect(google.rules.length).toBeGreaterThan(3);
    expect(google.rules[0]?.pattern).toEqual(/slow down/i);
    expect(receivers.receiverOf(["a.mx.own.example"])).toEqual(google);
  });

  it("drops the rules that the table has for a receiver", () => {
    const google = { name: "google", isWithoutKnownRules: true, rules: [rule] };
    expect(read({ receivers: [google] }).receiverOf(["aspmx.l.google.com"]).rules).toHaveLength(1);
  });

  it("sets limits for all receivers that have none of their own", () => {
    const receivers = read({ limits: { messagesPerMinute: 60, connections: 1 } });
    expect(receivers.receiverOf(["mx.example.net"]).limits).toEqual({ messagesPerMinute: 60, connections: 1 });
    expect(receivers.receiverOf(["aspmx.l.google.com"]).limits).toMatchObject({
      messagesPerMinute: 60,
      connections: 5,
    });
  });

  it("has rules of every action, from the first reply on when no threshold is given", () => {
    const actions = [
      { action: { kind: "narrow", connections: 1 }, minutes: 5 },
      { action: { kind: "pause-receiver" }, minutes: 5, isTemporary: true },
      { action: { kind: "pause-source" }, minutes: 5 },
      { action: { kind: "bounce" } },
    ].map((rest, n) => ({ pattern: `reply ${n}`, ...rest }));
    const { rules } = read({ receivers: [{ name: "a", mxSuffixes: [".a.example"], rules: actions }] }).receiverOf([
      "mx.a.example",
    ]);
    expect(rules.map(({ action, threshold, minutes }) => [action.kind, threshold, minutes])).toEqual([
      ["narrow", 1, 5],
      ["pause-receiver", 1, 5],
      ["pause-source", 1, 5],
      ["bounce", 1, 0],
    ]);
    expect([isTemporary(rules, "550 reply 1"), isTemporary(rules, "550 reply 2")]).toEqual([true, false]);
  });
});

const acme = (fields: object) => ({ receivers: [{ name: "acme", mxSuffixes: [".acme.example"], ...fields }] });
const withRule = (fields: object) => acme({ rules: [{ ...rule, ...fields }] });
const LIST = "receivers[0].";

describe("a wrong file is refused with the place", () => {
  it.each([
    ["not json", "RECEIVERS_FILE is not JSON"],
    ["[1]", "RECEIVERS_FILE[0] must be an object"],
    ["null", "RECEIVERS_FILE must be an object"],
    ['{"receiver": []}', 'RECEIVERS_FILE has the unknown field "receiver"; it may have limits, receivers'],
    ['{"receivers": {}}', "RECEIVERS_FILE.receivers must be a list"],
    ['{"__proto__": {}}', 'has the unknown field "__proto__"'],
  ])("%s", (text, message) => expect(() => readReceivers(text)).toThrow(message));

  it.each([
    [{ receivers: [1] }, "receivers[0] must be an object"],
    [{ receivers: Array.from({ length: 1_001 }, () => ({})) }, "receivers has 1001 items; the limit is 1000"],
    [
      { receivers: [{ mxSuffixes: [".a.example"] }] },
      "receivers[0].name must be 1 to 40 lower case letters, digits and hyphens",
    ],
    [{ receivers: [{ name: "Acme", mxSuffixes: [".a.example"] }] }, "receivers[0].name must be"],
    [{ receivers: [{ name: "example.net", mxSuffixes: [".a.example"] }] }, "receivers[0].name must be"],
    [{ receivers: [{ name: "acme" }] }, 'receivers[0].mxSuffixes is missing, and the table has no receiver "acme"'],
    [{ receivers: [{ name: "google" }, { name: "google" }] }, 'receivers[1] has the name "google" of receivers[0]'],
    [
      acme({ mxSuffixes: ["mx.acme.example"] }),
      `${LIST}mxSuffixes[0] must be the end of a host name with a leading dot`,
    ],
    [acme({ mxSuffixes: [".com"] }), `${LIST}mxSuffixes[0] must be the end of a host name`],
    [acme({ mxSuffixes: ".acme.example" }), `${LIST}mxSuffixes must be a list`],
    [acme({ label: "Acme (EU)" }), `${LIST}label must be 1 to 60 characters without parentheses`],
    [acme({ label: "" }), `${LIST}label must be`],
    [acme({ label: "a\nb" }), `${LIST}label must be`],
    [acme({ rate: 5 }), 'receivers[0] has the unknown field "rate"'],
    [acme({ isWithoutKnownRules: "yes" }), `${LIST}isWithoutKnownRules must be true or false`],
    [acme({ limits: { connections: 0 } }), `${LIST}limits.connections must be a whole number from 1 to 1000`],
    [acme({ limits: { messagesPerMinute: "60" } }), `${LIST}limits.messagesPerMinute must be a whole number`],
    [acme({ limits: { messagesPerConnection: 1.5 } }), `${LIST}limits.messagesPerConnection must be a whole number`],
    [acme({ limits: { messagesPerHour: 5 } }), `${LIST}limits has the unknown field "messagesPerHour"`],
    [acme({ limits: [] }), `${LIST}limits must be an object`],
    [{ limits: { connections: -1 } }, "RECEIVERS_FILE.limits.connections must be a whole number"],
    [acme({ rules: [null] }), `${LIST}rules[0] must be an object`],
    [withRule({ pattern: undefined }), `${LIST}rules[0].pattern must be a text`],
    [withRule({ pattern: "(a+)+" }), `${LIST}rules[0].pattern repeats a group`],
    [withRule({ threshold: 0 }), `${LIST}rules[0].threshold must be a whole number from 1 to 100`],
    [withRule({ threshold: 101 }), `${LIST}rules[0].threshold must be a whole number from 1 to 100`],
    [withRule({ action: "slow" }), `${LIST}rules[0].action must be an object`],
    [
      withRule({ action: {} }),
      `${LIST}rules[0].action.kind must be one of slow, narrow, pause-receiver, pause-source, bounce`,
    ],
    [withRule({ action: { kind: "stop" } }), `${LIST}rules[0].action.kind must be one of`],
    [withRule({ action: { kind: "slow" } }), `${LIST}rules[0].action.messagesPerMinute must be a whole number`],
    [
      withRule({ action: { kind: "narrow", connections: 0 } }),
      `${LIST}rules[0].action.connections must be a whole number`,
    ],
    [withRule({ action: { ...slow, connections: 3 } }), `${LIST}rules[0].action has the unknown field "connections"`],
    [withRule({ action: { kind: "bounce", minutes: 3 } }), `${LIST}rules[0].action has the unknown field "minutes"`],
    [withRule({ minutes: undefined }), `${LIST}rules[0].minutes must be a whole number from 1 to 10080`],
    [withRule({ minutes: 20_000 }), `${LIST}rules[0].minutes must be`],
    [withRule({ isTemporary: 1 }), `${LIST}rules[0].isTemporary must be true or false`],
    [
      acme({ rules: [{ pattern: "a", action: { kind: "bounce" }, minutes: 5 }] }),
      `${LIST}rules[0].minutes has no effect`,
    ],
    [withRule({ duration: 5 }), `${LIST}rules[0] has the unknown field "duration"`],
  ])("%j: %s", (file, message) => expect(() => read(file)).toThrow(message));
});
