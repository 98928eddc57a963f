/** Links that give access without a password: no line of the log contains one of their tokens. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TransferOut } from "../../../src/transfers/domain-transfers/schema.ts";
import { aRule } from "../../mailboxes/forwarding-rules/support.ts";
import { arrive, collectingEgress, forwardAt } from "../../mailboxes/forwards/support.ts";
import { aRawMessage } from "../../mailboxes/inbound/support.ts";
import { aReceiver, forgetDue, LOCAL, runAt } from "../../notices/webhooks/support.ts";
import { consumeQueues } from "../../support/queues.ts";
import { browser, systemEmails } from "../../support/sign-ins.ts";
import { aSystemWorkspace, initiate, mailedToken, ownerOf } from "../../support/transfers.ts";
import { apiOn, apiWith, aWorkspace, perSuite, perTest } from "../../support/workspace.ts";

consumeQueues("work");

const levels = ["log", "info", "warn", "error", "debug"] as const;
const system = perSuite(aSystemWorkspace);
const workspace = perTest(aWorkspace);
let lines: string[];

beforeEach(async () => {
  lines = [];
  for (const level of levels)
    vi.spyOn(console, level).mockImplementation((...texts: unknown[]) => {
      lines.push(texts.map(String).join(" "));
    });
});
afterEach(() => vi.restoreAllMocks());

/** Opens a link without credentials, with a wrong method, and while the databases fail. */
async function openEverywhere(path: string): Promise<void> {
  const fail = () => {
    throw new Error("D1 is down");
  };
  const down = apiOn({ DB: { prepare: fail, batch: fail, withSession: fail } }, null);
  for (const api of [apiWith(null), apiOn(LOCAL, workspace.apiKey), down])
    for (const method of ["GET", "POST", "DELETE"]) await api.call(method, path, method === "GET" ? undefined : {});
}

/** Expects lines, and none with the token or a part of it. */
function expectUnlogged(token: string): void {
  expect(token.length).toBeGreaterThan(20);
  expect(lines.length).toBeGreaterThan(0);
  const part = token.slice(4, 24);
  expect(
    lines.filter(
      (line) => line.includes(part) || decodeURIComponent(line.replace(/%(?![\da-f]{2})/gi, "")).includes(part),
    ),
  ).toEqual([]);
}

const lastMatch = (texts: readonly string[], pattern: RegExp) =>
  texts.flatMap((text) => pattern.exec(text)?.[1] ?? []).at(-1) ?? "";

describe("no line of the log has the token of", () => {
  it("a sign-in link", async () => {
    const page = browser({ SYSTEM_MAILBOX: workspace.mailbox });
    await page.post("/auth/magic-link", { email: await ownerOf(workspace), next: "/app" });
    const token = lastMatch(await systemEmails(workspace, 1), /\/auth\/magic-link\/([\w-]+)/);
    await openEverywhere(`/auth/magic-link/${token}`);
    expectUnlogged(token);
  });

  it("an invitation", async () => {
    const other = await aWorkspace();
    const api = apiOn({ SYSTEM_MAILBOX: workspace.mailbox }, workspace.apiKey);
    const email = await ownerOf(other);
    await api.post(`/v1/workspaces/${workspace.workspaceId}/invitations`, { email });
    const token = lastMatch(await systemEmails(workspace, 1), /\/invitations\/([\w-]{43})/);
    await openEverywhere(`/invitations/${token}`);
    await openEverywhere(`/v1/invitations/${token}/accept`);
    expectUnlogged(token);
  });

  it("a transfer", async () => {
    const target = await aWorkspace();
    const { id } = await initiate(workspace, target);
    const token = await mailedToken("accept", await ownerOf(target));
    await openEverywhere(`/domain-transfers/accept/${token}`);
    await openEverywhere(`/v1/domain-transfers/${token}/accept`);
    expectUnlogged(token);
    const outgoing = await (await workspace.get("/v1/domain-transfers/outgoing")).json<TransferOut[]>();
    expect(outgoing.map((transfer) => transfer.id)).toContain(id);
  });

  it("a confirmation of forwarding", async () => {
    const before = (await systemEmails(system, 0)).length;
    await aRule(workspace, { action: { type: "address", target: "friend@example.net" } });
    const token = lastMatch(await systemEmails(system, before + 1), /\/forwards\/([\w-]+)/);
    await openEverywhere(`/forwards/${token}`);
    expectUnlogged(token);
  });

  it("a link to a file of a forwarded email, also when it is posted", async () => {
    await forgetDue();
    const receiver = aReceiver();
    const action = { type: "webhook", target: receiver.url };
    await apiOn(LOCAL, workspace.apiKey).post("/v1/forwarding-rules/", { mailbox_id: workspace.mailboxId, action });
    const file = `--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n1,2\r\n--b--\r\n`;
    await arrive(workspace.mailbox, aRawMessage({ "Content-Type": 'multipart/mixed; boundary="b"' }, file));
    await forwardAt(workspace, collectingEgress().egress);
    await runAt(Date.now() + 1_000);
    const [request] = await receiver.requests();
    const token = lastMatch([request?.body ?? ""], /\/forwarded-files\/([\w-]+)/);
    await openEverywhere(`/forwarded-files/${token}`);
    expectUnlogged(token);
  });
});
