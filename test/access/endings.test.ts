/**
 * Each ending of a right, and each door that it closes. A new ending or door does not compile without its cells. No call restricts a key that
 * exists.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { anAppPassword } from "../mailboxes/app-passwords/support.ts";
import { database } from "../support/databases.ts";
import { aGrant } from "../support/oauth.ts";
import { aSession } from "../support/sessions.ts";
import { browser } from "../support/sign-ins.ts";
import { aSystemWorkspace, transfer } from "../support/transfers.ts";
import { aKey, aMember, apiWith, aWorkspace, perTest, type TestWorkspace } from "../support/workspace.ts";
import {
  DOORS,
  type Door,
  type Opened,
  ofApi,
  ofFilter,
  ofMcp,
  ofPages,
  ofSecret,
  ofSocket,
  ofWebmail,
} from "./doors.ts";

const PASSWORD = "correct horse battery staple";
const workspace = perTest(aWorkspace);
beforeAll(aSystemWorkspace);

const call = async (api: Pick<TestWorkspace, "call">, method: string, target: string, body?: unknown) => {
  const response = await api.call(method, target, body);
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
};
const mailbox = (suffix = "") => `/v1/mailboxes/${workspace.mailboxId}${suffix}`;
const member = (userId: string) => `/v1/workspaces/${workspace.workspaceId}/members/${userId}`;
const assign = (...user_ids: string[]) => call(workspace, "PUT", mailbox("/assignees"), { user_ids });

/** Doors that were opened, and the act that ends the right to them. */
interface Scene {
  opened: Opened;
  end: () => Promise<unknown>;
}

/** All that a person opens: by a key, a session, an app password, a connected program and a filter. */
async function byPerson(role: "admin" | "member", end: (userId: string) => Promise<unknown>): Promise<Scene> {
  const { userId } = await aMember(workspace, role);
  if (role === "member") await assign(userId);
  const person = { ...workspace, userId };
  const session = await aSession(person);
  const { password } = await anAppPassword({ ...workspace, post: session.post });
  const grant = await aGrant(person, { scopes: ["inbox:read", "inbox:write"] });
  const opened = {
    ...ofApi(workspace, apiWith(await aKey(person))),
    ...ofPages(workspace, session),
    ...(await ofSecret(workspace, password)),
    ...ofMcp(workspace, grant),
    ...(await ofSocket(workspace, session)),
    ...(await ofFilter(workspace, session)),
  };
  return { opened, end: () => end(userId) };
}

/** All that an API key opens. */
async function byKey(end: (id: string) => Promise<unknown>): Promise<Scene> {
  const id = crypto.randomUUID();
  const api = apiWith(await aKey(workspace, { id }));
  const { password } = await anAppPassword({ ...workspace, post: api.post });
  const opened = {
    ...ofApi(workspace, api),
    ...(await ofSecret(workspace, password)),
    ...ofMcp(workspace, api),
    ...(await ofSocket(workspace, api)),
    ...(await ofFilter(workspace, api)),
  };
  return { opened, end: () => end(id) };
}

/** All that the password of a mailbox opens, which an owner has set. */
async function byPassword(end: () => Promise<unknown>): Promise<Scene> {
  await call(await aSession(workspace), "PUT", mailbox("/password"), { password: PASSWORD });
  const login = await apiWith(null).post("/v1/webmail/login", { email: workspace.mailbox, password: PASSWORD });
  const api = apiWith((await login.json<{ access_token: string }>()).access_token);
  const page = browser();
  await page.post("/mail/sign-in", { email: workspace.mailbox, password: PASSWORD });
  const opened = {
    ...ofApi(workspace, api),
    ...ofWebmail(workspace, page),
    ...(await ofSecret(workspace, PASSWORD)),
    ...(await ofSocket(workspace, api)),
    ...(await ofFilter(workspace, api)),
  };
  return { opened, end };
}

async function bySession(end: (session: Awaited<ReturnType<typeof aSession>>) => Promise<unknown>): Promise<Scene> {
  const session = await aSession(workspace);
  const opened = {
    ...ofApi(workspace, session),
    ...ofPages(workspace, session),
    ...(await ofSocket(workspace, session)),
    ...(await ofFilter(workspace, session)),
  };
  return { opened, end: () => end(session) };
}

/** "ends": the next request is refused, and an open connection is closed. Otherwise why it does not. */
type Cell = "ends" | { stays: string } | { hasNone: string };
type Cells<Doors extends readonly Door[]> = { [Index in keyof Doors]: Cell };
type Row = Cells<typeof DOORS>;

const E = "ends";
const stays = (why: string): Cell => ({ stays: why });
const hasNone = (why: string): Cell => ({ hasNone: why });
const noPages = hasNone("a key opens no pages");
const noPage = hasNone("a mailbox opens no page of the dashboard");
const noTools = hasNone("the session of a mailbox calls no tools");
const ofPrograms = hasNone("an app password opens mail programs only");
const forMaker = hasNone("a program that is connected makes no password, socket of a page or forward");
const noSecret = hasNone("a secret of mail programs is its maker's, and does not end with a session");
const noKey = hasNone("connected programs and keys do not end with a session");
const seesMailboxes = stays("a member sees mailboxes, but no mail of them");
const isAssigned = stays("the mailbox is one of its own");
const ONLY = { role: "member", mailboxes_only: true };
const ofMaker = stays("its maker may still open the mailbox");

/**
 * Of each ending the cells in the order of DOORS. `closesSockets`: its live sockets are closed at once. The others are closed before they are told
 * of the next change: one that is told nothing costs no question.
 */
const endings: Readonly<Record<string, { open: () => Promise<Scene>; cells: Row; closesSockets?: true }>> = {
  "a member is removed": {
    open: () => byPerson("member", (userId) => call(workspace, "DELETE", member(userId))),
    cells: [E, E, E, E, E, E, E, E, E, E],
  },
  "an admin becomes a member": {
    open: () => byPerson("admin", (userId) => call(workspace, "PATCH", member(userId), { role: "member" })),
    cells: [E, seesMailboxes, E, E, E, E, E, E, E, E],
  },
  "an admin becomes a member that sees only its mailboxes": {
    open: () => byPerson("admin", (userId) => call(workspace, "PATCH", member(userId), ONLY)),
    cells: [E, E, E, E, E, E, E, E, E, E],
  },
  "an assigned member sees only its mailboxes from then on": {
    open: () => byPerson("member", (userId) => call(workspace, "PATCH", member(userId), ONLY)),
    cells: [
      ...([isAssigned, isAssigned, isAssigned, isAssigned, isAssigned] as const),
      ...([isAssigned, isAssigned, isAssigned, isAssigned, isAssigned] as const),
    ],
  },
  "a member is no longer assigned": {
    open: () => byPerson("member", () => assign()),
    closesSockets: true,
    cells: [E, seesMailboxes, E, E, E, E, E, E, E, E],
  },
  "a key is revoked": {
    open: () => byKey(async (id) => call(await aSession(workspace), "DELETE", `/v1/api-keys/${id}`)),
    cells: [E, noPages, noPages, E, E, E, E, E, E, E],
  },
  "a key expires": {
    open: () => byKey((id) => database.run("UPDATE api_keys SET expires_at = ?2 WHERE id = ?1", [id, Date.now()])),
    cells: [E, noPages, noPages, E, E, E, E, E, E, E],
  },
  "an app password is deleted": {
    open: async () => {
      const { id, password } = await anAppPassword(workspace);
      const end = () => call(workspace, "DELETE", mailbox(`/app-passwords/${id}`));
      return { opened: await ofSecret(workspace, password), end };
    },
    cells: [ofPrograms, ofPrograms, ofPrograms, E, E, E, E, ofPrograms, ofPrograms, ofPrograms],
  },
  "the password is changed": {
    open: () =>
      byPassword(async () =>
        call(await aSession(workspace), "PUT", mailbox("/password"), { password: `${PASSWORD} 2` }),
      ),
    closesSockets: true,
    cells: [E, noPage, E, E, E, E, E, noTools, E, ofMaker],
  },
  "a grant is revoked": {
    open: async () => {
      const grant = await aGrant(workspace, { scopes: ["inbox:read", "inbox:write"] });
      const opened = { ...ofApi(workspace, grant), ...ofMcp(workspace, grant), ...(await ofSocket(workspace, grant)) };
      const session = await aSession(workspace);
      const [{ id } = { id: "" }] = await (await session.get("/v1/oauth/grants")).json<{ id: string }[]>();
      return { opened, end: () => call(session, "DELETE", `/v1/oauth/grants/${id}`) };
    },
    cells: [E, forMaker, forMaker, forMaker, forMaker, forMaker, forMaker, E, E, forMaker],
  },
  "a session is revoked": {
    open: () =>
      bySession(async ({ sessionId }) => call(await aSession(workspace), "DELETE", `/v1/sessions/${sessionId}`)),
    cells: [E, E, E, noSecret, noSecret, noSecret, noSecret, noKey, E, ofMaker],
  },
  "a user signs out everywhere": {
    open: () => bySession(async () => call(await aSession(workspace), "DELETE", "/v1/sessions/")),
    cells: [E, E, E, noSecret, noSecret, noSecret, noSecret, noKey, E, ofMaker],
  },
  "a mailbox is deactivated": {
    open: () => byPassword(() => call(workspace, "PATCH", mailbox(), { is_active: false })),
    closesSockets: true,
    cells: [E, noPage, E, E, E, E, E, noTools, E, E],
  },
  "a mailbox is deleted": {
    open: () => byPerson("admin", () => call(workspace, "DELETE", mailbox())),
    closesSockets: true,
    cells: [E, E, E, E, E, E, E, E, E, E],
  },
  "a domain moves to another workspace": {
    open: () => byPerson("admin", async () => transfer(workspace, await aWorkspace())),
    cells: [E, E, E, E, E, E, E, E, E, E],
  },
  "a domain is deleted": {
    open: () =>
      byPerson("admin", () => call(workspace, "DELETE", `/v1/domains/${workspace.domainId}?delete_mailboxes=true`)),
    cells: [E, E, E, E, E, E, E, E, E, E],
  },
  "a workspace is deleted": {
    open: () => byPerson("admin", () => call(workspace, "DELETE", `/v1/workspaces/${workspace.workspaceId}`)),
    cells: [E, E, E, E, E, E, E, E, E, E],
  },
  "an account is deleted": {
    open: () => byPerson("admin", async (userId) => call(await aSession({ ...workspace, userId }), "DELETE", "/v1/me")),
    cells: [E, E, E, E, E, E, E, E, E, E],
  },
};

describe.each(Object.entries(endings))("when %s", (_, { open, cells, closesSockets }) => {
  it("each door is closed to the next request, or stays open for the reason given", async () => {
    const { opened, end } = await open();
    const doors = Object.entries(opened) as [Door, NonNullable<Opened[Door]>][];
    const stateOf = async () =>
      Object.fromEntries(await Promise.all(doors.map(async ([door, is]) => [door, await is()])));
    expect(Object.values(await stateOf()).filter((isOpen) => !isOpen)).toEqual([]);
    await end();
    if (closesSockets) expect(await opened["live socket"]?.("nothing")).toBe(false);
    const expected = DOORS.flatMap((door, index) => {
      const cell = cells[index] as Cell;
      return typeof cell === "object" && "hasNone" in cell ? [] : [[door, cell !== "ends"] as const];
    });
    // A cell without a probe, or a probe without a cell, differs here.
    expect(await stateOf()).toEqual(Object.fromEntries(expected));
  });
});
