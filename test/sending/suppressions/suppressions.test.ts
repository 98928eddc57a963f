import { beforeEach, describe, expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { emptyOutbox } from "../../support/outbox.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

beforeEach(async () => {
  await emptyOutbox();
});

const add = (body: unknown, headers?: Record<string, string>) => workspace.post("/v1/suppressions/", body, headers);
const remove = (email: string) => workspace.call("DELETE", `/v1/suppressions/${encodeURIComponent(email)}`);
const list = async (query = "", of = workspace) =>
  (await (await of.get(`/v1/suppressions/?${query}`)).json<{ email: string; reason: string }[]>()).map(
    ({ email, reason }) => `${email} ${reason}`,
  );
const email = async (id: string) => (await workspace.get(`/v1/emails/${id}`)).json<DetailOut>();

describe("POST /v1/suppressions/", () => {
  it("returns 201 for a new address and 200 with the stored entry for a listed one", async () => {
    const first = await add({ email: "Friend@Example.ORG" });
    expect(first.status).toBe(201);
    const stored = await first.json<{ email: string }>();
    expect(stored).toEqual({
      email: "friend@example.org",
      reason: "manual",
      topic_id: null,
      created_at: expect.any(String),
    });
    const again = await add({ email: "friend@example.org", reason: "bounce" });
    expect([again.status, await again.json()]).toEqual([200, stored]);
    expect(await list()).toEqual(["friend@example.org manual"]);
  });

  it("a reason for all mail replaces an unsubscribe, and not the reverse", async () => {
    await add({ email: "a@example.org", reason: "unsubscribe" });
    expect(await (await add({ email: "a@example.org", reason: "complaint" })).json()).toMatchObject({
      reason: "complaint",
    });
    expect(await (await add({ email: "a@example.org", reason: "unsubscribe" })).json()).toMatchObject({
      reason: "complaint",
    });
    expect(await list()).toEqual(["a@example.org complaint"]);
  });

  it("refuses an invalid address or reason", async () => {
    for (const body of [
      {},
      { email: "x" },
      { email: "a@b.example\r\nx" },
      { email: "a@b.example", reason: "because" },
      { email: 7 },
      [],
      null,
    ])
      expect((await add(body)).status, JSON.stringify(body)).toBe(422);
    expect((await add({ email: `${"a".repeat(3_000_000)}@b.example` })).status).toBe(422);
  });

  it("replays the original status, 201 or 200", async () => {
    for (const status of [201, 200]) {
      const call = () => add({ email: "a@example.org" }, { "Idempotency-Key": `k${status}` });
      const [first, again] = [await call(), await call()];
      expect([first.status, again.status, again.headers.get("Idempotency-Replayed")]).toEqual([status, status, "true"]);
      expect(await again.text()).toBe(await first.text());
    }
  });

  it("twenty concurrent calls for one address are one row, and one response per Idempotency-Key", async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => add({ email: "a@example.org" })));
    for (const { status } of responses) expect([200, 201]).toContain(status);
    const keyed = await Promise.all([1, 2, 3].map(() => add({ email: "b@example.org" }, { "Idempotency-Key": "k" })));
    expect(new Set(await Promise.all(keyed.map((response) => response.text()))).size).toBe(1);
    expect(await list()).toHaveLength(2);
  });
});

describe("GET and DELETE /v1/suppressions/", () => {
  it("lists by address, in pages, after an address, or one address; never of another workspace", async () => {
    for (const name of ["c", "a", "b"]) await add({ email: `${name}@example.org` });
    expect(await list("limit=2")).toEqual(["a@example.org manual", "b@example.org manual"]);
    expect(await list("limit=2&page=1")).toEqual(["c@example.org manual"]);
    expect(await list("after=b@example.org")).toEqual(["c@example.org manual"]);
    expect(await list("email=B@EXAMPLE.org")).toEqual(["b@example.org manual"]);
    expect(await list("email=nonsense")).toEqual([]);
    expect(await list("", await aWorkspace())).toEqual([]);
  });

  it("removes an address in any spelling, and returns 404 for one that is not listed", async () => {
    for (const [stored, written] of [
      ["friend@example.org", "Friend@EXAMPLE.org"],
      ["a@bücher.example", "a@xn--bcher-kva.example"],
      ["a+b%25/c@example.org", "a+b%25/c@example.org"],
    ] as const) {
      expect((await add({ email: stored })).status, stored).toBe(201);
      expect((await remove(written)).status, written).toBe(204);
      expect((await remove(written)).status, written).toBe(404);
    }
    for (const bad of ["x", "%", "a@b", "\u0000"]) expect((await remove(bad)).status, bad).toBe(404);
  });
});

describe("a suppressed address", () => {
  it("is dropped at accept with an event; an email to it alone is rejected with a reason", async () => {
    await add({ email: "friend@example.org" });
    const alone = await (await apiWithoutQueue.post("/v1/emails/", aMail(workspace))).json<Record<string, string>>();
    expect(alone).toMatchObject({ status: "rejected", rejection_reason: expect.stringContaining("suppression") });
    const to = [{ email: "FRIEND@example.org" }, { email: "other@example.org" }];
    const { id } = await apiWithoutQueue.create("/v1/emails/", aMail(workspace, { to }));
    expect((await email(id)).events[0]).toMatchObject({
      event_type: "suppressed",
      metadata: { recipient: "FRIEND@example.org" },
    });
  });

  it("is not mailed when it is listed after the email was accepted", async () => {
    const { id } = await apiWithoutQueue.create("/v1/emails/", aMail(workspace));
    await add({ email: "friend@example.org", reason: "complaint" });
    await runOutboxAt(Date.now());
    expect(await email(id)).toMatchObject({ status: "rejected" });
    expect((await email(id)).events.at(-1)).toMatchObject({ event_type: "suppressed" });
  });

  it("with reason unsubscribe gets single mail; after removal it gets all mail", async () => {
    await add({ email: "friend@example.org", reason: "unsubscribe" });
    expect(await (await apiWithoutQueue.post("/v1/emails/", aMail(workspace))).json()).toMatchObject({
      status: "queued",
    });
    await add({ email: "friend@example.org", reason: "bounce" });
    expect(await (await apiWithoutQueue.post("/v1/emails/", aMail(workspace))).json()).toMatchObject({
      status: "rejected",
    });
    await remove("friend@example.org");
    expect(await (await apiWithoutQueue.post("/v1/emails/", aMail(workspace))).json()).toMatchObject({
      status: "queued",
    });
  });
});
