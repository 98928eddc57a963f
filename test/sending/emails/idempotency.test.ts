import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { database } from "../../support/databases.ts";
import { aMail, apiWith, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

afterEach(() => {
  vi.useRealTimers();
});

const key = (value: string) => ({ "Idempotency-Key": value });

async function emailsOf(workspace: TestWorkspace): Promise<number> {
  const row = await database.row<{ emails: number }>("SELECT count(*) AS emails FROM emails WHERE workspace = ?1", [
    workspace.workspaceNumber,
  ]);
  return row?.emails ?? -1;
}

async function objectsOf(workspace: TestWorkspace): Promise<number> {
  return (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects.length;
}

describe("Idempotency-Key", () => {
  it("a repeated call gets the same response and sends nothing more", async () => {
    const workspace = await aWorkspace();
    const first = await workspace.post("/v1/emails/", aMail(workspace), key("a"));
    const again = await workspace.post("/v1/emails/", aMail(workspace), key("a"));
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(first.headers.get("Idempotency-Replayed")).toBeNull();
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    expect(await emailsOf(workspace)).toBe(1);
  });

  it.each([
    ["in its row", 100, 0],
    ["in R2", 20_000, 1],
  ])(
    "fifty concurrent calls with one key create one email with content %s and get equal responses",
    async (_, length, objects) => {
      const workspace = await aWorkspace();
      const text = "x".repeat(length);
      const call = async () => {
        const response = await workspace.post("/v1/emails/", aMail(workspace, { text }), key("race"));
        return `${response.status} ${await response.text()}`;
      };
      const responses = await Promise.all(Array.from({ length: 50 }, call));
      expect(new Set(responses).size).toBe(1);
      expect(responses[0]).toMatch(/^202 /);
      expect(await emailsOf(workspace)).toBe(1);
      expect(await objectsOf(workspace)).toBe(objects);
    },
  );

  it("the same key with another body is a 409", async () => {
    const workspace = await aWorkspace();
    await workspace.post("/v1/emails/", aMail(workspace), key("b"));
    const other = await workspace.post("/v1/emails/", aMail(workspace, { subject: "Another" }), key("b"));
    expect(other.status).toBe(409);
    expect(await other.json()).toEqual({ detail: "This Idempotency-Key was used for another request" });
    expect(await emailsOf(workspace)).toBe(1);
  });

  it("a key has no effect in another workspace", async () => {
    const [one, two] = [await aWorkspace(), await aWorkspace()];
    await one.post("/v1/emails/", aMail(one), key("c"));
    const result = await two.post("/v1/emails/", aMail(two), key("c"));
    expect(result.status).toBe(202);
    expect(result.headers.get("Idempotency-Replayed")).toBeNull();
    expect(await emailsOf(two)).toBe(1);
  });

  it("a refused call stores no response: the corrected call with the same key is accepted", async () => {
    const workspace = await aWorkspace();
    const refused = await workspace.post("/v1/emails/", aMail(workspace, { to: [] }), key("d"));
    expect(refused.status).toBe(422);
    expect((await workspace.post("/v1/emails/", aMail(workspace), key("d"))).status).toBe(202);
  });

  it("a response is kept for 24 hours to the millisecond, also across midnight", async () => {
    const workspace = await aWorkspace();
    const start = Date.parse("2026-11-21T18:30:00Z");
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    await workspace.post("/v1/emails/", aMail(workspace), key("e"));
    vi.setSystemTime(start + 24 * 3_600_000 - 1);
    const kept = await workspace.post("/v1/emails/", aMail(workspace), key("e"));
    expect(kept.headers.get("Idempotency-Replayed")).toBe("true");
    vi.setSystemTime(start + 24 * 3_600_000);
    const forgotten = await workspace.post("/v1/emails/", aMail(workspace), key("e"));
    expect(forgotten.headers.get("Idempotency-Replayed")).toBeNull();
    expect(await emailsOf(workspace)).toBe(2);
  });

  it("a replay comes after authorisation: without credentials it is a 401", async () => {
    const workspace = await aWorkspace();
    await workspace.post("/v1/emails/", aMail(workspace), key("f"));
    expect((await apiWith(null).post("/v1/emails/", aMail(workspace), key("f"))).status).toBe(401);
  });

  it("a key of 255 characters is accepted; one of 256 or 0 is a 422 that names the header", async () => {
    const workspace = await aWorkspace();
    const send = (value: string) => workspace.post("/v1/emails/", aMail(workspace), key(value));
    expect((await send("k".repeat(255))).status).toBe(202);
    for (const bad of ["k".repeat(256), ""]) {
      const result = await send(bad);
      expect(result.status).toBe(422);
      const { detail } = await result.json<{ detail: { loc: string[] }[] }>();
      expect(detail[0]?.loc).toEqual(["header", "Idempotency-Key"]);
    }
  });

  it("the database does not contain the key", async () => {
    const workspace = await aWorkspace();
    await workspace.post("/v1/emails/", aMail(workspace), key("a-key-to-look-for"));
    const results = await database.rows("SELECT * FROM idempotency_keys");
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify(results)).not.toContain("a-key-to-look-for");
  });
});
