import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FORM_PAGE } from "../../../src/http/ui/index.ts";
import { multipart } from "../../audience/contacts/csv-support.ts";
import { database } from "../../support/databases.ts";
import { mountedRoutes } from "../../support/route-tests.ts";
import { apiWithCookies, aSession, cookiesOf } from "../../support/sessions.ts";
import { aSystemWorkspace } from "../../support/transfers.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** A tab keeps showing a workspace after another tab has switched to the next one. */

let one: TestWorkspace;
let two: TestWorkspace;
let session: Awaited<ReturnType<typeof aSession>>;

// Invitations are mailed.
beforeAll(async () => void (await aSystemWorkspace()));

beforeEach(async () => {
  [one, two] = [await aWorkspace(), await aWorkspace()];
  const join = "INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 0)";
  await env.DB.prepare(join).bind(two.workspaceNumber, one.userId).run();
  session = await aSession(one);
});

/** Returns the browser after it has opened another workspace. */
async function switchTo(workspaceId: string, next?: string) {
  const response = await submit(session, "/auth/workspace", { org_id: workspaceId, ...(next ? { next } : {}) });
  const { accessToken, refreshToken } = session.tokens;
  const cookies = { session: accessToken, refresh: refreshToken, ...cookiesOf(response) };
  return { ...apiWithCookies(cookies), location: response.headers.get("Location") };
}

const fieldsOf = (html: string) =>
  [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => ({
    name,
    value,
  }));
const valueIn = (html: string, field: string) => fieldsOf(html).find(({ name }) => name === field)?.value ?? "";

const nameOf = async ({ workspaceId }: TestWorkspace) =>
  (await database.value<string>("SELECT name FROM workspaces WHERE id = ?1", [workspaceId])) ?? "";

async function invitations() {
  const query = "SELECT email, workspace FROM invitations WHERE workspace IN (?1, ?2)";
  return (await env.DB.prepare(query).bind(one.workspaceNumber, two.workspaceNumber).all()).results;
}

describe("a form of the workspace that another tab has left", () => {
  const invitation = { email: "contractor@elsewhere.example", role: "admin" };
  /** Submits the form of a page of the first workspace after the switch to the second one. */
  async function submitLate(changes: Record<string, string> = {}) {
    const html = await (await session.get("/app/team?before=x")).text();
    const fields = { [FORM_PAGE]: valueIn(html, FORM_PAGE), idempotency_key: valueIn(html, "idempotency_key") };
    const later = await switchTo(two.workspaceId);
    return submit(later, "/app/team/invitations", { ...fields, ...invitation, ...changes });
  }

  it("changes nothing, and says which workspace it is for and which one is active, with both ways on", async () => {
    const response = await submitLate();
    expect(response.status).toBe(409);
    const html = await response.text();
    expect(html).toContain(`This form is for ${await nameOf(one)}, and you are in ${await nameOf(two)} now.`);
    expect(html).toMatch(/<a class="button quiet" href="\/app">Go on in /);
    expect(await invitations()).toEqual([]);
    const switching = html.slice(html.indexOf(`value="${one.workspaceId}"`, html.indexOf("<main")));
    const back = await switchTo(one.workspaceId, valueIn(switching, "next"));
    expect(back.location).toBe("/app/team?before=x");
    expect(await (await back.get("/app/team")).text()).toContain(`Workspace ${await nameOf(one)}`);
  });

  it("keeps what was entered, and does what it asks for when it is sent again after a switch back", async () => {
    const html = await (await submitLate()).text();
    const kept = html.slice(html.indexOf('action="/app/team/invitations"'));
    const fields = fieldsOf(kept).map(({ name, value }): [string, string] => [name, value]);
    expect(fields).toEqual(expect.arrayContaining(Object.entries(invitation)));
    const still = await switchTo(two.workspaceId);
    expect((await submit(still, "/app/team/invitations", fields)).status).toBe(409);
    expect((await submit(await switchTo(one.workspaceId), "/app/team/invitations", fields)).status).toBe(303);
    expect(await invitations()).toEqual([{ email: invitation.email, workspace: one.workspaceNumber }]);
  });

  it("is not named and leads nowhere when the user is no member of it", async () => {
    const stranger = await aWorkspace();
    const html = await (await submitLate({ [FORM_PAGE]: `${stranger.workspaceId} /app/team` })).text();
    expect(html).toContain("This form is for another workspace");
    expect(html).not.toContain(await nameOf(stranger));
    expect(html.slice(html.indexOf("<main"))).not.toContain("/auth/workspace");
    expect(await invitations()).toEqual([]);
  });

  it("changes nothing either when it has files or a long text", async () => {
    const list = await two.create("/v1/contacts/", { name: "Ours" });
    const [later, path] = [await switchTo(two.workspaceId), `/app/contacts/${list.id}/import`];
    const { body, headers } = multipart(`email\n${"x".repeat(200_000)}\n`);
    const [, boundary] = headers["Content-Type"]?.split("boundary=") ?? [];
    const field = `--${boundary}\r\nContent-Disposition: form-data; name="${FORM_PAGE}"\r\n\r\n${one.workspaceId} ${path}\r\n`;
    const upload = await later.call("POST", path, field + body, headers);
    expect(upload.status).toBe(409);
    expect(await upload.text()).toContain("The chosen files are not kept");
    const text = { [FORM_PAGE]: `${one.workspaceId} /app/templates/new`, name: "x", html_body: "é".repeat(200_000) };
    expect((await submit(later, "/app/templates/new", text)).status).toBe(409);
    expect(await (await two.get("/v1/templates/")).json()).toEqual([]);
  });
});

it("a form that does not say its workspace changes nothing before it is sent again in the active one", async () => {
  const fields = {
    [FORM_PAGE]: "",
    email: "ada@elsewhere.example",
    role: "member",
    idempotency_key: crypto.randomUUID(),
  };
  const response = await submit(session, "/app/team/invitations", fields);
  expect(response.status).toBe(409);
  const html = await response.text();
  expect(html).toContain(`Send it in ${await nameOf(one)}`);
  expect(await invitations()).toEqual([]);
  const kept = html.slice(html.indexOf('action="/app/team/invitations"'));
  const again = fieldsOf(kept).map(({ name, value }): [string, string] => [name, value]);
  expect((await submit(session, "/app/team/invitations", again)).status).toBe(303);
});

it("a switch leads to pages of this service only", async () => {
  expect((await switchTo(two.workspaceId, "https://evil.example/")).location).toBe("/app");
  expect((await switchTo(two.workspaceId, "//evil.example/")).location).toBe("/app");
});

it("every form that a page below /app posts says for which workspace it is, before its other fields", async () => {
  const paths = mountedRoutes().flatMap((route) => /^GET (\/app\/?[^:]*)$/.exec(route)?.[1] ?? []);
  expect(paths.length).toBeGreaterThan(30);
  const field = `<input type="hidden" name="${FORM_PAGE}" value="${one.workspaceId} `;
  for (const path of paths) {
    const response = await session.get(path);
    // A frame shows a page without forms.
    if (response.status !== 200 || path.endsWith("/preview")) continue;
    const forms = [...(await response.text()).matchAll(/<form [^>]*method="post"[^>]*>/g)];
    const html = forms.map(({ input, index, 0: tag }) => input.slice(index + tag.length));
    expect(html.length, path).toBeGreaterThan(0);
    for (const inner of html) expect(inner.startsWith(field), `${path}: ${inner.slice(0, 200)}`).toBe(true);
  }
});
