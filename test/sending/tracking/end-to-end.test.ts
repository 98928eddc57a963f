import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { database, FILE_SHARD } from "../../support/databases.ts";
import { consumeQueues } from "../../support/queues.ts";
import { type Detail, run } from "../../support/sending.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, apiWith, aWorkspace, type TestWorkspace, testContext, until } from "../../support/workspace.ts";
import { detailOf, READER } from "./support.ts";

consumeQueues("hits");

const { publicUrl } = testContext().settings;
const HTML =
  '<body><a href="https://shop.example/?a=1&amp;b=%20">Shop</a> <a data-track="off" href="https://x.example">x</a></body>';
const BOTH = { opens: true, clicks: true };

/** Sends an email and delivers it. Returns its id and the received message, raw and parsed. */
async function delivered(
  workspace: TestWorkspace,
  changes: Record<string, unknown>,
  alter?: (id: string) => Promise<unknown>,
) {
  const sink = await sinkServer();
  const { post } = workspace.withoutQueue;
  const response = await post("/v1/emails/", aMail(workspace, { html: HTML, ...changes }));
  expect(response.status, await response.clone().text()).toBe(202);
  const { id } = await response.json<{ id: string }>();
  await alter?.(id);
  await deliverTo(sink.url, id);
  const [message] = await sink.messages();
  await sink.close();
  const raw = message?.raw ?? new Uint8Array();
  return { id, raw, ...(await PostalMime.parse(raw)) };
}

async function deliverTo(url: string, id: string): Promise<void> {
  const row = await database.row<OutboxMessage["rows"][number]>(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE id = ?1",
    [id],
  );
  const body: OutboxMessage = { type: "outbox.wake.v2", database: FILE_SHARD, rows: row ? [row] : [] };
  const batch = createMessageBatch<OutboxMessage>("work", [
    { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body },
  ]);
  await consume(batch, { ...env, EGRESS_URL: url } as unknown as Env);
}

const pathsIn = (html = "", kind: "o" | "c") =>
  Array.from(html.matchAll(new RegExp(`${publicUrl}(/t/${kind}/[A-Za-z0-9_-]+)`, "g")), ([, path = ""]) => path);

/** Moves the delivery to the past, so that a click now counts as a person's. */
const backdateDelivery = (id: string) =>
  run("UPDATE emails SET sent_at = sent_at - 60000, version = version + 1 WHERE id = ?1", id);

describe("a tracked email", () => {
  it("records its open and its click in the timeline", async () => {
    const workspace = await aWorkspace();
    const { id, html, text } = await delivered(workspace, { tracking: BOTH });
    expect(text?.trim()).toBe("A text.");
    expect(html).toContain('<a href="https://x.example">x</a>');
    await backdateDelivery(id);
    const reader = apiWith(null);
    const [[pixel = ""], [link = ""]] = [pathsIn(html, "o"), pathsIn(html, "c")];
    expect((await reader.get(pixel, { "User-Agent": READER, "CF-Connecting-IP": "192.0.2.9" })).status).toBe(200);
    const click = await reader.get(link, { "User-Agent": READER, "CF-Connecting-IP": "192.0.2.9" });
    expect([click.status, click.headers.get("Location")]).toEqual([302, "https://shop.example/?a=1&b=%20"]);
    const counted = ({ opened_count, clicked_count }: Detail) => opened_count === 1 && clicked_count === 1;
    const { events } = await until(() => detailOf(workspace, id), counted, 30_000);
    const who = { recipient: "friend@example.org", user_agent: READER, ip: "192.0.2.9" };
    expect(events.slice(-2)).toEqual([
      expect.objectContaining({ event_type: "open", metadata: who }),
      expect.objectContaining({ event_type: "click", metadata: { ...who, url: "https://shop.example/?a=1&b=%20" } }),
    ]);
  });

  it("has identical bytes each time it is composed", async () => {
    const workspace = await aWorkspace();
    const first = await delivered(workspace, { tracking: BOTH });
    await run(
      "UPDATE emails SET status = 'queued', due_at = 1, outbox_id = NULL, version = version + 1, recipients = replace(recipients, 'delivered', 'queued') WHERE id = ?1",
      first.id,
    );
    await run(
      "INSERT INTO outbox (due_at, id, kind, ref) SELECT 1, id, 'deliver', json_array(n) FROM emails WHERE id = ?1",
      first.id,
    );
    const sink = await sinkServer();
    await deliverTo(sink.url, first.id);
    const [again] = await sink.messages();
    const unsigned = (raw?: Uint8Array) => new TextDecoder().decode(raw).replace(/DKIM-Signature:.*?\r\n(?=\S)/gs, "");
    expect(unsigned(again?.raw)).toContain("Content-Type: multipart/alternative");
    expect(unsigned(again?.raw)).toBe(unsigned(first.raw));
  });

  it("is rewritten only when the send, the workspace or the source enables tracking", async () => {
    const workspace = await aWorkspace();
    const trackedBy = async (changes: Record<string, unknown>, alter?: (id: string) => Promise<unknown>) => {
      const { html } = await delivered(workspace, changes, alter);
      return [pathsIn(html, "o").length, pathsIn(html, "c").length, html?.trim() === HTML];
    };
    const fromSource = (source: string) => (id: string) =>
      run("UPDATE emails SET source = ?2 WHERE id = ?1", id, source);
    expect(await trackedBy({})).toEqual([0, 0, true]);
    expect(await trackedBy({ tracking: null })).toEqual([0, 0, true]);
    expect(await trackedBy({ tracking: { opens: true } })).toEqual([1, 0, false]);
    expect(await trackedBy({}, fromSource("broadcast"))).toEqual([1, 1, false]);
    expect(await trackedBy({ tracking: { clicks: false } }, fromSource("bulk"))).toEqual([1, 0, false]);
    await run(
      `UPDATE workspaces SET settings = '{"tracking_clicks":true}' WHERE number = ?1`,
      workspace.workspaceNumber,
    );
    expect(await trackedBy({})).toEqual([0, 1, false]);
    expect(await trackedBy({ tracking: { clicks: null } })).toEqual([0, 1, false]);
    expect(await trackedBy({ tracking: { clicks: false } })).toEqual([0, 0, true]);
  });

  it("tells in its event how many links are untracked beyond the first 1,000", async () => {
    const workspace = await aWorkspace();
    const html = Array.from({ length: 1_003 }, (_, n) => `<a href="https://shop.example/${n}">${n}</a>`).join("\n");
    const many = await delivered(workspace, { html, tracking: { clicks: true } });
    expect(pathsIn(many.html, "c")).toHaveLength(1_000);
    const few = await delivered(workspace, { tracking: { clicks: true } });
    const metadataOf = async (id: string) => (await detailOf(workspace, id)).events.at(-1)?.metadata;
    expect(await metadataOf(many.id)).toMatchObject({ recipient: "friend@example.org", untracked_links: 3 });
    expect(await metadataOf(few.id)).not.toHaveProperty("untracked_links");
  });

  it("is enabled with booleans; any other value is a 422 that names the field", async () => {
    const workspace = await aWorkspace();
    for (const [tracking, loc] of [
      ["yes", ["tracking"]],
      [{ opens: 1 }, ["tracking", "opens"]],
      [{ clicks: "true" }, ["tracking", "clicks"]],
    ] as const) {
      const response = await workspace.post("/v1/emails/", aMail(workspace, { tracking }));
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["body", ...loc] }] });
    }
  });

  it("to several recipients records hits without a recipient", async () => {
    const workspace = await aWorkspace();
    const to = [{ email: "a@one.example" }, { email: "b@one.example" }];
    const { id, html } = await delivered(workspace, { to, tracking: BOTH });
    await apiWith(null).get(pathsIn(html, "o")[0] ?? "", { "User-Agent": READER });
    const { events } = await until(
      () => detailOf(workspace, id),
      ({ opened_count }) => opened_count === 1,
      30_000,
    );
    expect(events.at(-1)).toMatchObject({ event_type: "open", metadata: { user_agent: READER, ip: "" } });
    expect(events.at(-1)?.metadata).not.toHaveProperty("recipient");
  });
});
