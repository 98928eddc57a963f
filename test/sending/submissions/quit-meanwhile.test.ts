/** A message whose equal is confirmed, since the client of that said QUIT, while it is accepted. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { wrapDatabases } from "../../support/databases.ts";
import { aGateway, aSubmitter } from "../../support/submissions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { messagesOf } from "./support.ts";

const workspace = perTest(aWorkspace);
const texts = perTest(() => messagesOf(workspace));

const to = ["friend@example.org"];
/** The content of a larger message is in R2. */
const bodies: [name: string, body: string][] = [
  ["in its row", "Hello.\n"],
  ["in R2", "Hello again.\n".repeat(5_000)],
];

/** Returns a gateway whose calls run `meanwhile` after each batch of theirs that wrote nothing, and `before` ahead of each batch. */
function afterRefusal(meanwhile: () => Promise<unknown>, before: () => Promise<unknown> = async () => {}) {
  return aGateway(
    wrapDatabases((real) => ({
      prepare: (sql: string) => real.prepare(sql),
      async batch<Row>(statements: D1PreparedStatement[]) {
        await before();
        const results = await real.batch<Row>(statements);
        // One that reads the credential has a row of it.
        if (results.every(({ results: rows }) => rows.length === 0)) await meanwhile();
        return results;
      },
    })),
  );
}

const objects = async () => (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects.length;

describe("a message whose equal is confirmed before it is compared with that", () => {
  it.each(bodies)("is a second email, with its content %s", async (_, body) => {
    const { gateway, token, credential, submit } = await aSubmitter(workspace);
    const text = texts.message({ "Message-ID": `<${crypto.randomUUID()}@c>`, Date: "x" }, body);
    const first = await submit(text);
    let refusals = 0;
    const racing = afterRefusal(async () => {
      refusals += 1;
      await gateway.confirm(token, [first.repeat]);
    });
    const { token: second = "" } = await racing.login(credential, "c2");
    const again = await racing.submit(second, workspace.mailbox, to, text);
    expect(refusals).toBe(1);
    expect(again.reply).toBeNull();
    expect(again.id).not.toBe(first.id);
    expect(await texts.count()).toBe(2);
    expect((await texts.sent(again.id)).unsigned).toBe(text);
  });

  it.each(bodies)("is the same email when it is not confirmed, and leaves no content %s", async (_, body) => {
    const { gateway, credential, submit } = await aSubmitter(workspace);
    const text = texts.message({ "Message-ID": `<${crypto.randomUUID()}@c>`, Date: "x" }, body);
    const first = await submit(text);
    const stored = await objects();
    const { token = "" } = await gateway.login(credential, "c2");
    expect((await gateway.submit(token, workspace.mailbox, to, text)).id).toBe(first.id);
    expect(await objects()).toBe(stored);
    expect((await texts.sent(first.id)).unsigned).toBe(text);
  });

  it("is refused after two attempts when its equals never end, and leaves no content", async () => {
    const { gateway, token, credential, submit } = await aSubmitter(workspace);
    const text = texts.message({ "Message-ID": `<${crypto.randomUUID()}@c>`, Date: "x" }, bodies[1]?.[1]);
    const first = await submit(text);
    const stored = await objects();
    const { token: other = "" } = await gateway.login(credential, "c3");
    const connections = [
      [token, "c1"],
      [other, "c3"],
    ] as const;
    let refusals = 0;
    let isSubmitted = false;
    const confirm = () => {
      const [open = "", connection] = connections[refusals++] ?? [];
      return gateway.confirm(open, [first.repeat], connection);
    };
    const racing = afterRefusal(confirm, async () => {
      if (refusals === 0 || isSubmitted) return;
      isSubmitted = true;
      await gateway.submit(other, workspace.mailbox, to, text);
    });
    const { token: second = "" } = await racing.login(credential, "c2");
    // The gateway replies 451, and the client tries again.
    await expect(racing.submit(second, workspace.mailbox, to, text)).rejects.toThrow("409");
    expect(refusals).toBe(2);
    expect(await texts.count()).toBe(2);
    expect(await objects()).toBe(stored + 1);
  });

  it("leaves no content when it is another message with its Idempotency-Key", async () => {
    const { submit } = await aSubmitter(workspace);
    const keyed = texts.message({ "Idempotency-Key": "order-7" }, bodies[1]?.[1]);
    await submit(keyed);
    const stored = await objects();
    expect(stored).toBeGreaterThan(0);
    expect((await submit(keyed, ["other@example.org"])).reply).toMatch(/^554 5\.5\.0/);
    expect(await objects()).toBe(stored);
  });
});
