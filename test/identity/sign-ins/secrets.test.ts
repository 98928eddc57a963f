import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { mail as mailDatabase } from "../../support/databases.ts";
import { aGrant } from "../../support/oauth.ts";
import type { Detail } from "../../support/sending.ts";
import { aSession } from "../../support/sessions.ts";
import { aMagicLink, browser, codeOf } from "../../support/sign-ins.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { storedObjects } from "../../support/stored-objects.ts";
import { apiWith, aWorkspace, until } from "../../support/workspace.ts";

/** Returns every row of a database as text. */
async function dump(db: D1Database): Promise<string> {
  const { results } = await db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf_%' AND name NOT LIKE 'sqlite_%'",
    )
    .all<{ name: string }>();
  const tables = results.map(({ name }) => name).filter((name) => !/^email_search/.test(name));
  const rows = await Promise.all(tables.map((name) => db.prepare(`SELECT * FROM "${name}"`).all()));
  return JSON.stringify(rows.map((table) => table.results));
}

/** Returns the objects of the bucket that were stored since a time, as text. Other files have left objects of many MiB. */
async function dumpObjects(since: number): Promise<string> {
  const recent = (await storedObjects()).filter(({ uploaded }) => uploaded.getTime() >= since);
  const texts = await Promise.all(recent.map(async ({ key }) => (await env.CONTENT.get(key))?.text()));
  return texts.join("\n");
}

it("no secret of a sign-in is stored or logged in clear, and the email still carries the link", async () => {
  const startedAt = Date.now();
  const logs: unknown[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...line) => void logs.push(line));
  const queued: unknown[] = [];
  const queue = { sendBatch: async (messages: Iterable<MessageSendRequest>) => void queued.push([...messages]) };
  const sink = await sinkServer();
  const workspace = await aWorkspace();
  const email = `owner@${workspace.domain}`;
  const page = browser({ SYSTEM_MAILBOX: workspace.mailbox, EGRESS_URL: sink.url, WORK: queue });
  await page.post("/auth/magic-link", { email });
  const [message] = await until(
    () => sink.messages(),
    ({ length }) => length > 0,
  );
  const raw = new TextDecoder().decode(message?.raw).replaceAll("=\r\n", "");
  const [path = "", token = ""] = /\/auth\/magic-link\/([\w-]{43})/.exec(raw) ?? [];
  expect(token).not.toBe("");
  await sink.close();

  const [sent] = await (await workspace.get("/v1/emails/")).json<{ id: string }[]>();
  const detail = await (await workspace.get(`/v1/emails/${sent?.id}`)).json<Detail & { text_body: string }>();
  expect(detail.text_body).toContain("[sealed link ");
  const beforeSignIn = `${await dump(env.DB)} ${await dump(mailDatabase)} ${await dumpObjects(startedAt)} ${JSON.stringify(detail)}`;
  expect(beforeSignIn).not.toContain(token);

  expect((await page.post(path)).status).toBe(303);
  const session = await aSession(workspace);
  const { secret } = await (await session.post("/v1/auth/totp/setup", undefined)).json<{ secret: string }>();
  const enabled = await session.post("/v1/auth/totp/enable", { code: await codeOf(secret) });
  const { recovery_codes: codes } = await enabled.json<{ recovery_codes: string[] }>();
  const waiting = browser();
  await waiting.post(await aMagicLink(email));
  const password = "correct horse battery staple";
  await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
  const login = await apiWith(null).post("/v1/webmail/login", { email: workspace.mailbox, password });
  const tokens = await login.json<{ access_token: string; refresh_token: string }>();
  const secrets = [token, workspace.apiKey, secret, ...codes, password, tokens.access_token, tokens.refresh_token];
  const grant = await aGrant(workspace);
  secrets.push(grant.code, grant.verifier, grant.tokens.access_token, grant.tokens.refresh_token);
  secrets.push(
    session.tokens.accessToken,
    session.tokens.refreshToken,
    ...Object.values({ ...page.jar, ...waiting.jar }),
  );
  expect(secrets.length).toBeGreaterThan(22);

  const stored = `${await dump(env.DB)} ${await dump(mailDatabase)} ${await dumpObjects(startedAt)}`;
  log.mockRestore();
  const places = { stored, queued: JSON.stringify(queued), logs: JSON.stringify(logs) };
  expect(stored).toContain(workspace.workspaceId);
  for (const [place, text] of Object.entries(places))
    for (const value of secrets) expect(text.includes(value), `${place}: ${value.slice(0, 8)}…`).toBe(false);
});
