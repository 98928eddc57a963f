import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import type { SuppressionOut } from "../../../src/sending/suppressions/schema.ts";
import { database } from "../../support/databases.ts";
import { nextPath } from "../../support/next-path.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, apiOn, aWorkspace, perTest } from "../../support/workspace.ts";

/** Suppressions that change between read and write, and unusual spellings of addresses. */

const workspace = perTest(aWorkspace);

const WHO = "friend@example.org";
const add = (body: unknown, headers?: Record<string, string>) => workspace.post("/v1/suppressions/", body, headers);
const remove = (email: string) => workspace.call("DELETE", `/v1/suppressions/${encodeURIComponent(email)}`);
const stored = async (email = WHO) =>
  (await (await workspace.get(`/v1/suppressions/?email=${encodeURIComponent(email)}`)).json<SuppressionOut[]>())[0];
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i));

/** Returns the API on a database that runs `hook` between the reads of a call and its first batch. */
function withMeanwhile(meanwhile: () => Promise<unknown>) {
  let isDone = false;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (!isDone) {
      isDone = true;
      await meanwhile();
    }
    return env.DB.batch(statements);
  };
  return apiOn({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch } }, workspace.apiKey);
}

describe("POST /v1/suppressions/", () => {
  it.each([
    ["bounce", "manual", "manual"],
    ["complaint", "manual", "complaint"],
    ["manual", "complaint", "manual"],
    ["bounce", "unsubscribe", "bounce"],
  ])(
    "returns the stored entry when another call first suppressed the address for %s, then %s",
    async (first, second, kept) => {
      const api = withMeanwhile(() => add({ email: WHO, reason: first }));
      const response = await api.post("/v1/suppressions/", { email: WHO, reason: second });
      expect(response.status).toBe(200);
      const received = await response.json();
      expect(received).toMatchObject({ reason: kept });
      expect(received).toEqual(await stored());
    },
  );

  it("returns the stored entry when the address is removed in between", async () => {
    await add({ email: WHO, reason: "bounce" });
    const api = withMeanwhile(() => remove(WHO));
    const response = await api.post("/v1/suppressions/", { email: WHO });
    expect(response.status).toBe(201);
    const received = await response.json();
    expect(received).toMatchObject({ reason: "manual" });
    expect(received).toEqual(await stored());
  });

  it("returns the stored entry when another reason replaces an unsubscribe in between", async () => {
    await add({ email: WHO, reason: "unsubscribe" });
    const api = withMeanwhile(() => add({ email: WHO, reason: "complaint" }));
    const response = await api.post("/v1/suppressions/", { email: WHO, reason: "manual" });
    expect([response.status, await response.json()]).toEqual([200, await stored()]);
    expect(await stored()).toMatchObject({ reason: "complaint" });
  });

  it("stores the resulting entry under the Idempotency-Key, not the request", async () => {
    const api = withMeanwhile(() => add({ email: WHO, reason: "bounce" }));
    const send = () => api.post("/v1/suppressions/", { email: WHO }, { "Idempotency-Key": "k" });
    await send();
    const replay = await send();
    expect(replay.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await replay.json()).toEqual(await stored());
  });

  it("twenty concurrent calls return one entry, a single 201, and one response per Idempotency-Key", async () => {
    // Reasons of which none replaces the other.
    const reasons = ["manual", "complaint"];
    const responses = await Promise.all(times(20, (i) => add({ email: WHO, reason: reasons[i % 2] })));
    expect(responses.map(({ status }) => status).sort()).toEqual([...times(19, () => 200), 201]);
    for (const received of responses) expect(await received.json()).toEqual(await stored());
    const keyed = await Promise.all(times(20, () => add({ email: "b@example.org" }, { "Idempotency-Key": "k" })));
    for (const received of keyed)
      expect([received.status, await received.json()]).toEqual([201, await stored("b@example.org")]);
  });

  it("returns 409 to an Idempotency-Key used for another address, and suppresses nothing", async () => {
    await add({ email: WHO }, { "Idempotency-Key": "k" });
    expect((await add({ email: "b@example.org" }, { "Idempotency-Key": "k" })).status).toBe(409);
    expect(await stored("b@example.org")).toBeUndefined();
  });

  it("names the invalid field of a body, and returns 413 to a large one", async () => {
    for (const [body, loc] of [
      [{}, ["body", "email"]],
      [{ email: "a\0@b.example" }, ["body", "email"]],
      [{ email: "a@b.example\r\nBcc: c@d.example" }, ["body", "email"]],
      [{ email: `Friend <${WHO}>` }, ["body", "email"]],
      [{ email: WHO, reason: "because" }, ["body", "reason"]],
      [{ email: WHO, reason: null }, ["body", "reason"]],
    ] as const) {
      const response = await add(body);
      expect(response.status, JSON.stringify(body)).toBe(422);
      const { detail } = await response.json<{ detail: { loc: unknown[] }[] }>();
      expect(detail.map((error) => error.loc)).toEqual([loc]);
    }
    expect((await add({ email: WHO, more: "x".repeat(40_000_001) })).status).toBe(413);
    expect(await stored()).toBeUndefined();
  });

  it("treats all spellings of a Unicode address as one, with the domain in A-labels", async () => {
    const first = await add({ email: "JÖRG@Bücher.example" });
    expect(await first.json()).toMatchObject({ email: "jörg@xn--bcher-kva.example" });
    expect((await add({ email: "jörg@xn--bcher-kva.example" })).status).toBe(200);
  });
});

describe("GET and DELETE /v1/suppressions/", () => {
  it("continues after an address in any letter case, and refuses deep pages", async () => {
    for (const name of ["a", "b", "c"]) await add({ email: `${name}@example.org` });
    const behind = await (await workspace.get("/v1/suppressions/?after=B@EXAMPLE.org")).json<SuppressionOut[]>();
    expect(behind.map(({ email }) => email)).toEqual(["c@example.org"]);
    for (const bad of ["limit=0", "limit=501", "limit=0x5", "page=-1", "page=201&limit=500"])
      expect((await workspace.get(`/v1/suppressions/?${bad}`)).status, bad).toBe(422);
  });

  it("lists 100 by default, with a Link header to the next page whenever more addresses follow", async () => {
    const names = times(230, (i) => `a${String(i).padStart(3, "0")}@example.org`);
    await database.run(
      "INSERT INTO suppressions (workspace, email, reason, created_at) SELECT ?1, value, 'manual', 1 FROM json_each(?2)",
      [workspace.workspaceNumber, JSON.stringify([...names, "ünü@example.org"])],
    );
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let path: string | null = "/v1/suppressions/"; path !== null; ) {
      const response: Response = await workspace.get(path);
      const page = await response.json<SuppressionOut[]>();
      seen.push(...page.map(({ email }) => email));
      sizes.push(page.length);
      path = nextPath(response);
    }
    expect(sizes).toEqual([100, 100, 31]);
    expect(seen).toEqual([...names, "ünü@example.org"]);
    expect(nextPath(await workspace.get("/v1/suppressions/?limit=231"))).toBeNull();
    expect(nextPath(await workspace.get("/v1/suppressions/?limit=1&page=230"))).toBeNull();
    const far = await workspace.get("/v1/suppressions/?page=200");
    expect([await far.json(), nextPath(far)]).toEqual([[], null]);
  });

  it("returns 404 to a path that is not valid text or not an address", async () => {
    for (const bad of ["%", "%ff", "%00", "%E4", "a%40b", "a%0D%0A@example.org"])
      expect((await workspace.call("DELETE", `/v1/suppressions/${bad}`)).status, bad).toBe(404);
  });

  it("removes an address from the list of its own workspace only", async () => {
    const otherTenant = await aWorkspace();
    await otherTenant.post("/v1/suppressions/", { email: WHO });
    expect((await remove(WHO)).status).toBe(404);
    expect(await (await otherTenant.get("/v1/suppressions/")).json()).toHaveLength(1);
  });
});

describe("at dispatch", () => {
  const other = "delivered@simulator.test";
  const send = async (to: string[]) => {
    const api = workspace.withoutQueue;
    const mail = aMail(workspace, { to: to.map((email) => ({ email })) });
    return (await api.create("/v1/emails/", mail)).id;
  };
  const result = async (id: string) => {
    await runOutboxAt(Date.now());
    const { status, events } = await (await workspace.get(`/v1/emails/${id}`)).json<DetailOut>();
    return { status, types: events.map(({ event_type }) => event_type) };
  };

  it("a recipient suppressed after accept is dropped, and the others are sent", async () => {
    const id = await send([other, "delivered+b@simulator.test"]);
    await add({ email: "delivered+b@simulator.test" });
    const { types } = await result(id);
    expect(types.filter((type) => type === "suppressed" || type === "delivered").sort()).toEqual([
      "delivered",
      "suppressed",
    ]);
  });

  it("an unsubscribe after accept does not stop single mail", async () => {
    const id = await send([other]);
    await add({ email: other, reason: "unsubscribe" });
    expect(await result(id)).toMatchObject({ status: "delivered" });
  });

  it("a suppression removed before dispatch stops nothing", async () => {
    const id = await send([other]);
    await add({ email: other });
    await remove(other);
    expect(await result(id)).toMatchObject({ status: "delivered" });
  });
});
