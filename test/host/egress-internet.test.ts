/** The egress before the local internet: what the Worker is told about each kind of mail system. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MailSystem } from "../../dev/internet/index.ts";
import type { Email } from "./support/egress-internet/outbox.ts";
import { type EgressRig, startEgressRig } from "./support/egress-internet/rig.ts";
import { isFull } from "./support/extent.ts";
import { eventually } from "./support/gateway-rig.ts";

const systems: MailSystem[] = Object.entries({
  greylist: { greylist: { seconds: 0.2 } },
  rate: { rate: { messagesPerMinute: 1, burst: 1 } },
  busy: { connections: { most: 0 } },
  blocked: { blocked: { at: "greeting" } },
  "blocked-at-mail": { blocked: { at: "mail" } },
  "tls-only": { tls: "required" },
  "without-tls": { tls: "none" },
  slow: { slow: { ms: 50 } },
  tarpit: { tarpit: { msPerByte: 20 } },
  "closes-after-dot": { closesAfterDot: { each: 1 } },
} satisfies Record<string, MailSystem["behaviour"]>).map(([name, behaviour], n) => ({
  name,
  domains: [`${name}.test`],
  mx: [`mx.${name}.test`],
  address: `127.0.0.${70 + n}`,
  behaviour,
}));

let rig: EgressRig;
beforeAll(async () => {
  rig = await startEgressRig({ systems }, isFull ? { LIMIT_GREETING_MS: "4000" } : {});
});
afterAll(() => rig?.close());

/** Hands emails over and waits for their final results. */
async function deliver(...recipients: string[]): Promise<Email[]> {
  const emails = rig.outbox.add(recipients);
  await rig.outbox.run(rig.egress.ports[0] ?? 0);
  return emails;
}

const lastOf = ({ results }: Email) => results.at(-1);
/** The parts of a result that name the server. */
const at = (name: string) => ({ relay: `mx.${name}.test`, receiver: `${name}.test` });
const reply = (code: number, enhanced: string, text: unknown) => ({ code, enhanced, text });

const results: [name: string, result: object][] = [
  ["accepts", { kind: "accepted", reply: reply(250, "2.0.0", expect.stringMatching(/^Ok: queued as \d+$/)) }],
  ["tls-only", { kind: "accepted", reply: reply(250, "2.0.0", expect.stringMatching(/^Ok: queued as \d+$/)) }],
  ["without-tls", { kind: "accepted" }],
  ["slow", { kind: "accepted" }],
  ["blocked", { kind: "deferred", phase: "greeting", reply: reply(554, "5.7.1", "Your address is on our block list") }],
  [
    "blocked-at-mail",
    { kind: "message-refused", phase: "mail", reply: reply(550, "5.7.1", "Your address is on our block list") },
  ],
  [
    "busy",
    {
      kind: "deferred",
      phase: "greeting",
      reply: reply(421, "4.7.0", "Too many connections from your address, try again later"),
    },
  ],
  ["closes-after-dot", { kind: "ambiguous", phase: "final-dot", reply: null }],
  ["tarpit", { kind: "deferred", phase: "greeting", reply: null }],
];

// The tarpit takes the seconds of its limit; egress-sessions.test.ts has a shorter one.
it.each(results.filter(([name]) => isFull || name !== "tarpit"))(
  "mail to %s.test has the result that its server gives, word by word",
  async (name, result) => {
    const [email] = await deliver(`ann@${name}.test`);
    expect(email && lastOf(email)).toMatchObject({ ...result, ...at(name) });
  },
);

it("TLS is used where it is offered, and the message arrives in the clear where it is not", async () => {
  await deliver("ben@accepts.test", "ben@without-tls.test");
  const secure = (name: string) => rig.internet.receiver(name).messages.map(({ isSecure }) => isSecure);
  expect(new Set(secure("accepts"))).toEqual(new Set([true]));
  expect(new Set(secure("without-tls"))).toEqual(new Set([false]));
  expect(new Set(secure("tls-only"))).toEqual(new Set([true]));
});

it("unknown users and full mailboxes are told as their server does", async () => {
  const [unknown, full] = await deliver("unknown@accepts.test", "full@accepts.test");
  expect(unknown && lastOf(unknown)).toMatchObject({
    ...{ kind: "recipient-refused", phase: "rcpt" },
    reply: reply(550, "5.1.1", "The address does not exist here"),
  });
  expect(full && lastOf(full)).toMatchObject({
    ...{ kind: "deferred", phase: "rcpt" },
    reply: reply(452, "4.2.2", "The mailbox is full, try again later"),
  });
});

it("a greylisted email is deferred once and accepted at a later attempt", async () => {
  rig.outbox.retryMs = ({ attempt }) => (attempt < 20 ? 100 : null);
  const [email] = await deliver("ann@greylist.test");
  rig.outbox.retryMs = () => null;
  expect(email?.results[0]).toMatchObject({
    ...{ kind: "deferred", phase: "rcpt", ...at("greylist") },
    reply: reply(451, "4.7.1", "Greylisted, please try again later"),
  });
  expect(email && lastOf(email)).toMatchObject({ kind: "accepted" });
  expect(rig.internet.receiver("greylist").messages).toHaveLength(1);
});

it("a reply of several lines about the rate is told as one text", async () => {
  const emails = await deliver(...["a", "b"].map((local) => `${local}@rate.test`));
  const deferred = emails.map(lastOf).find((result) => result?.kind === "deferred");
  expect(deferred).toMatchObject({
    reply: reply(
      450,
      "4.7.28",
      "Our system has detected an unusual rate of mail originating from your address. Try again later.",
    ),
  });
});

it("domains that can have no mail are refused, and those whose DNS fails are deferred", async () => {
  const [nullMx, noAddress, nowhere, failing] = await deliver(
    ...["null-mx", "no-address", "nxdomain", "servfail"].map((name) => `ann@${name}.test`),
  );
  expect(nullMx && lastOf(nullMx)).toMatchObject({ reply: { code: 550, text: expect.stringMatching(/^5\.1\.10 /) } });
  expect(noAddress && lastOf(noAddress)).toMatchObject({ reply: { code: 550 } });
  expect(nowhere && lastOf(nowhere)).toMatchObject({ reply: { code: 550, text: expect.stringMatching(/^5\.1\.2 /) } });
  expect(failing && lastOf(failing)).toMatchObject({ kind: "deferred", reply: null });
});

it.runIf(isFull)("an email that waits for its receiver is told as held, and its result follows", async () => {
  const kinds: string[] = [];
  rig.outbox.onResult = (_, { kind }) => kinds.push(kind);
  const email = rig.outbox.add(["late@tarpit.test"]);
  await rig.outbox.run(rig.egress.ports[0] ?? 0);
  rig.outbox.onResult = null;
  expect(email[0]?.state).toBe("done");
  expect(kinds.at(-1)).toBe("deferred");
});

it("results come in groups, and again until they are acknowledged", async () => {
  rig.outbox.takesNoResults = true;
  const before = rig.outbox.groups.length;
  const emails = rig.outbox.add(Array.from({ length: 30 }, (_, n) => `g${n}@accepts.test`));
  const stop = new AbortController();
  const run = rig.outbox.run(rig.egress.ports[0] ?? 0, { signal: stop.signal });
  const sent = () => rig.internet.receiver("accepts").messages.filter(({ to }) => /^g\d/.test(to[0] ?? "")).length;
  await eventually(() => (sent() === 30 ? true : undefined));
  expect(emails.every(({ state }) => state === "held")).toBe(true);
  rig.outbox.takesNoResults = false;
  await rig.outbox.done();
  stop.abort();
  await run;
  expect(emails.map(lastOf).every((result) => result?.kind === "accepted")).toBe(true);
  expect(rig.outbox.groups.length - before).toBeLessThan(30);
  expect(sent()).toBe(30);
});
