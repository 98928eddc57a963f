import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { receiveEmail } from "../../../src/mailboxes/inbound/index.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const anybody = apiWith(null);

/** Sends an email of a source and returns the message that the server received. */
async function sent(source: string, to = "friend@example.org", fields: object = {}) {
  const server = await sinkServer();
  const apiWithoutQueue = workspace.withoutQueue;
  const { id } = await apiWithoutQueue.create("/v1/emails/", aMail(workspace, { to: [{ email: to }], ...fields }));
  await database.run("UPDATE emails SET source = ?2 WHERE id = ?1", [id, source]);
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
  const [message] = await server.messages();
  await server.close();
  const text = new TextDecoder().decode(message?.raw).replace(/\r\n[ \t]/g, " ");
  const [, link = ""] = /List-Unsubscribe: <([^>]*)>/.exec(text) ?? [];
  const [, mailto = ""] = /<mailto:([^?>]*)/.exec(text) ?? [];
  return { id, text, path: link && new URL(link).pathname, mailto };
}

const types = async (id: string) => {
  const events = await (await workspace.get(`/v1/emails/${id}/events`)).json<{ event_type: string }[]>();
  return events.map(({ event_type }) => event_type);
};
const suppressions = async () => {
  const list = await (await workspace.get("/v1/suppressions/")).json<{ email: string; reason: string }[]>();
  return list.map(({ email, reason }) => `${email} ${reason}`);
};

describe("one-click unsubscribe", () => {
  it("has signed headers in every bulk and broadcast email, and in no other", async () => {
    for (const source of ["bulk", "broadcast"]) {
      const { text } = await sent(source);
      expect(text).toMatch(
        /List-Unsubscribe: <http:\/\/[^>]+\/u\/u[a-z2-7]+>, <mailto:u[a-z2-7]+@bounces\.mail\.test\?subject=unsubscribe>/,
      );
      expect(text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
      const signed = [...text.matchAll(/DKIM-Signature:[^\r]*? h=([^;]+);/g)].map(([, names = ""]) =>
        names.toLowerCase(),
      );
      expect(signed).toHaveLength(2);
      expect(text).toContain(`\r\nFeedback-ID: :w${workspace.workspaceNumber}:${source}:bouncesmailtest\r\n`);
      for (const names of signed) expect(names.split(":")).toContain("feedback-id");
      for (const names of signed)
        expect(names).toMatch(/list-unsubscribe:.*list-unsubscribe-post|list-unsubscribe-post:.*list-unsubscribe/);
    }
    expect((await sent("api")).text).not.toMatch(/List-Unsubscribe|Feedback-ID/);
  });

  it("POST unsubscribes at once without sign-in and is idempotent; GET and HEAD change nothing", async () => {
    const { id, path } = await sent("bulk");
    const page = await anybody.get(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(await page.text()).toContain('<form method="post">');
    await anybody.call("HEAD", path);
    expect(await suppressions()).toEqual([]);
    const form = { "Content-Type": "application/x-www-form-urlencoded", Cookie: "session=stolen" };
    const responses = await Promise.all(
      [1, 2, 3].map(() => anybody.call("POST", path, "List-Unsubscribe=One-Click", form)),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await suppressions()).toEqual(["friend@example.org unsubscribe"]);
    expect(await types(id)).toEqual(["queued", "delivered", "unsubscribed"]);
  });

  it("stops bulk mail and not single mail", async () => {
    const { path } = await sent("bulk");
    await anybody.call("POST", path);
    expect((await sent("bulk")).text).toBe("");
    expect((await sent("api")).text).toContain("Subject: A subject");
  });

  it("stops single mail that offers it, at accept and at dispatch, and no other single mail", async () => {
    const offered = { unsubscribe: true };
    const { path, text } = await sent("api", undefined, offered);
    expect(text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    expect(text).toMatch(/Feedback-ID: :w\d+:api:bouncesmailtest\r\n/);
    expect(text).toMatch(/ h=[^;]*Feedback-ID:\s*Feedback-ID/);
    const { id } = await workspace.create(
      "/v1/emails/",
      aMail(workspace, {
        ...{ to: [{ email: "friend@example.org" }], send_at: new Date(Date.now() + 600_000).toISOString() },
        ...offered,
      }),
    );
    await anybody.call("POST", path);
    await runOutboxAt(Date.now() + 900_000);
    expect(await types(id)).toContain("suppressed");
    expect((await sent("api", undefined, offered)).text).toBe("");
    expect((await sent("api")).text).toContain("Subject: A subject");
  });

  it("on single mail with several recipients, or with the header of the caller, is a 422", async () => {
    const to = [{ email: "a@example.org" }, { email: "b@example.org" }];
    for (const fields of [{ to }, { headers: { "List-Unsubscribe": "<mailto:a@example.org>" } }]) {
      const response = await workspace.post("/v1/emails/", aMail(workspace, { ...fields, unsubscribe: true }));
      expect(response.status).toBe(422);
      expect(await response.text()).toContain('"unsubscribe"');
    }
  });

  it("works again after the address is removed from the list", async () => {
    const { path } = await sent("bulk");
    await anybody.call("POST", path);
    expect((await workspace.call("DELETE", "/v1/suppressions/friend%40example.org")).status).toBe(204);
    await anybody.call("POST", path);
    expect(await suppressions()).toEqual(["friend@example.org unsubscribe"]);
  });

  it("a tampered token or a return-path token does nothing", async () => {
    const { path } = await sent("bulk");
    const token = path.slice(3);
    for (const bad of [
      `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`,
      `b${token.slice(1)}`,
      "u",
      "%00",
      "x".repeat(5000),
    ]) {
      expect((await anybody.call("POST", `/u/${bad}`)).status, bad.slice(0, 80)).toBe(404);
    }
    expect(await suppressions()).toEqual([]);
  });

  it("an email to the mailto address unsubscribes, whatever it contains", async () => {
    const { id, mailto } = await sent("broadcast");
    let refused: string | null = null;
    const message = {
      from: "friend@example.org",
      to: mailto.toUpperCase(),
      headers: new Headers(),
      raw: new Blob(["Subject: unsubscribe\r\n\r\n"]).stream(),
      rawSize: 24,
      setReject: (reason: string) => {
        refused = reason;
      },
    };
    await receiveEmail(message as unknown as ForwardableEmailMessage, env);
    expect(refused).toBeNull();
    expect(await suppressions()).toEqual(["friend@example.org unsubscribe"]);
    expect(await types(id)).toEqual(["queued", "delivered", "unsubscribed"]);
  });
});
