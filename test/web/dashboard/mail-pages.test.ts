import { beforeAll, describe, expect, it } from "vitest";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aSystemWorkspace, ownerOf } from "../../support/transfers.ts";
import { aMail, aMember, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of emails, domains and transfers: their forms do what the API does. */

beforeAll(aSystemWorkspace);
const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const textOf = async (path: string, by = session) => (await by.get(path)).text();
const memberSession = async () =>
  aSession({ ...workspace, userId: (await aMember(workspace, "member")).userId }) as Promise<typeof session>;
const idOf = async (response: Response) => (await response.json<{ id: string }>()).id;
const keyed = (fields: Record<string, string>) => ({ idempotency_key: crypto.randomUUID(), ...fields });

describe("the emails pages", () => {
  it("show why an email bounced, find it by search and status, and retry it once", async () => {
    expect(await textOf("/app/emails")).toContain("has not sent an email yet");
    const mail = aMail(workspace, { to: [{ email: "bounced@simulator.test" }], subject: "Receipt <b>1042</b>" });
    const id = await idOf(await workspace.post("/v1/emails/", mail));
    await runOutboxAt(Date.now());
    for (const query of ["", "?q=receipt", "?status=bounced", "?q=to:simulator.test&status=bounced"])
      expect(await textOf(`/app/emails${query}`), query).toContain("Receipt &lt;b&gt;1042");
    expect(await textOf("/app/emails?status=delivered")).toContain("No email matches.");
    expect((await session.get(`/app/emails?q=${"x".repeat(501)}`)).status).toBe(422);
    const page = await textOf(`/app/emails/${id}`);
    expect(page).toContain("550 5.1.1 simulated: no such mailbox");
    const key = keyed({});
    const retries = await Promise.all([1, 2].map(() => submit(session, `/app/emails/${id}/retry`, key)));
    const [first, second] = retries.map((response) => response.headers.get("Location"));
    expect(first).toMatch(/^\/app\/emails\/[0-9a-f-]{36}\?done=retried$/);
    expect(second).toBe(first);
    expect((await submit(session, `/app/emails/${id}/cancel`)).status).toBe(404);
  });

  it("show the HTML of an email in a sandbox: no script, no request, links in a new tab", async () => {
    const html = '<script>alert(1)</script><img alt="A boat" src="https://evil.example/a.png"><p>Hi</p>';
    const id = await idOf(await workspace.post("/v1/emails/", aMail(workspace, { html })));
    const page = await session.get(`/app/emails/${id}`);
    expect(page.headers.get("Content-Security-Policy")).toContain("frame-src 'self'");
    expect(await page.text()).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    const frame = await session.get(`/app/emails/${id}/html`);
    const policy = frame.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("sandbox allow-popups");
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|https:/);
    expect(await frame.text()).toContain('<script>alert(1)</script><img alt="A boat"><p>Hi</p>');
  });

  it("send an email once, show what is wrong with the form, and move a scheduled one", async () => {
    const form = keyed({ from_: workspace.mailbox, to: "a@example.org, b@example.org", subject: "Hi", text: "Hello" });
    const sent = await Promise.all([1, 2].map(() => submit(session, "/app/emails/new", form)));
    const [location, other] = sent.map((response) => response.headers.get("Location") ?? "");
    expect([other, await textOf(location ?? "")]).toEqual([location, expect.stringContaining("b@example.org")]);
    const wrong = await submit(
      session,
      "/app/emails/new",
      keyed({ ...form, to: "nobody", idempotency_key: "k".repeat(16) }),
    );
    const html = await wrong.text();
    expect([wrong.status, html.includes('value="nobody"'), html.includes('role="alert"')]).toEqual([422, true, true]);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16);
    const later = await submit(
      session,
      "/app/emails/new",
      keyed({ ...form, send_at: sendAt, idempotency_key: crypto.randomUUID() }),
    );
    const path = (later.headers.get("Location") ?? "").split("?")[0] ?? "";
    expect((await submit(session, `${path}/cancel`)).headers.get("Location")).toBe(`${path}?done=cancelled`);
    expect((await submit(session, `${path}/send-now`)).status).toBe(404);
  });
});

describe("the pages of domains and transfers", () => {
  it("add a domain, show its records, check them, rotate its keys and delete it", async () => {
    const name = `d${crypto.randomUUID().slice(0, 8)}.test`;
    const form = keyed({ name });
    const added = await submit(session, "/app/domains", form);
    const path = (added.headers.get("Location") ?? "").split("?")[0] ?? "";
    expect((await submit(session, "/app/domains", form)).headers.get("Location")).toContain(path);
    const page = await textOf(path);
    for (const text of [`_svc-challenge.${name}`, "_svc-challenge", "svc-domain-verification="])
      expect(page).toContain(text);
    expect((await submit(session, `${path}/verify`)).headers.get("Location")).toBe(`${path}?done=checked`);
    expect(await textOf(path)).toContain("Missing");
    expect(await textOf(`${path}?done=checked`)).toMatch(/Found <code>nothing/);
    const zone = await session.get(`${path}/zone`);
    expect(zone.headers.get("Content-Disposition")).toContain(`filename="${name}.zone.txt"`);
    expect(await zone.text()).toContain(`_svc-challenge.${name}. IN TXT "svc-domain-verification=`);
    expect(await textOf("/app/domains")).toContain(name);
    const twice = await submit(session, "/app/domains", keyed({ name }));
    expect([twice.status, (await twice.text()).includes(`value="${name}"`)]).toEqual([409, true]);
    expect((await submit(session, "/app/domains", keyed({ name: "no domain" }))).status).toBe(422);
    const pasted = `pasted-${crypto.randomUUID()}.example`;
    await submit(session, "/app/domains", keyed({ name: `https://${pasted}/contact?a=1` }));
    expect(await textOf("/app/domains")).toContain(`>${pasted}</a>`);
    expect((await submit(session, "/app/domains", keyed({ name: "https://[::1]/" }))).status).toBe(422);
    expect(await textOf(`${path}/delete`)).toContain(`Delete ${name}?`);
    expect((await submit(session, `${path}/delete`)).status).toBe(303);
    expect((await session.get(path)).status).toBe(404);
    const own = `/app/domains/${workspace.domainId}`;
    expect((await submit(session, `${own}/rotate`)).headers.get("Location")).toBe(`${own}?done=rotated`);
  });

  it("offer a domain, cancel the offer, accept and decline another, and explain a refusal", async () => {
    const target = await aWorkspace();
    const recipient = await aSession(target);
    const path = `/app/domains/${workspace.domainId}/transfer`;
    const refused = await submit(session, path, { target_email: "nobody@nowhere.example", note: "Kept" });
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringMatching(/No account uses this address[\s\S]*value="nobody@nowhere.example"[\s\S]*Kept/),
    ]);
    const own = await submit(session, path, { target_email: await ownerOf(workspace), note: "Kept" });
    expect([own.status, (await own.text()).includes("Kept")]).toEqual([409, true]);
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const waiting = await idOf(await workspace.post("/v1/emails/", aMail(workspace, { subject: "Waits", send_at })));
    const blocked = await submit(session, path, { target_email: await ownerOf(target), note: "" });
    expect([blocked.status, await blocked.text()]).toEqual([
      409,
      expect.stringContaining(`<a href="/app/emails/${waiting}">Waits</a>`),
    ]);
    await workspace.call("DELETE", `/v1/emails/scheduled/${waiting}`);
    for (const verb of ["cancel", "decline", "accept"]) {
      expect(
        (await submit(session, path, { target_email: await ownerOf(target), note: "" })).headers.get("Location"),
      ).toBe("/app/transfers?done=offered");
      const by = verb === "cancel" ? session : recipient;
      const list = await textOf("/app/transfers", by);
      const action = new RegExp(`/app/transfers/[0-9a-f-]{36}/${verb}`).exec(list)?.[0] ?? "";
      const body: Record<string, string> = verb === "accept" ? { target_org_id: target.workspaceId } : {};
      expect((await submit(by, action, body)).headers.get("Location")).toMatch(/done=(cancelled|declined|accepted)$/);
    }
    expect(await textOf("/app/transfers")).toContain("Accepted");
    expect(await textOf("/app/transfers")).toContain("23 hours left to stop it");
    expect(await textOf("/app/transfers", recipient)).toContain("unless its owners stop it");
  });

  it("let members look and change nothing", async () => {
    const member = await memberSession();
    const path = `/app/domains/${workspace.domainId}`;
    expect(await textOf(path, member)).not.toContain('<form class="form"');
    for (const verb of ["verify", "rotate", "delete", "transfer"])
      expect((await submit(member, `${path}/${verb}`, { target_email: "a@example.org" })).status, verb).toBe(403);
  });
});
