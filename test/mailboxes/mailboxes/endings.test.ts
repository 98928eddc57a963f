/** Each end of a right to open a mailbox, and each door that it closes. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openForCall } from "../../../src/mailboxes/imap/access.ts";
import { oncePerFile } from "../../support/once-per-file.ts";
import { aSession } from "../../support/sessions.ts";
import { aGateway } from "../../support/submissions.ts";
import { aSystemWorkspace, transfer } from "../../support/transfers.ts";
import { aKey, aMember, apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { anAppPassword, findEnded, logInToImap } from "../app-passwords/support.ts";
import { watch } from "../inbox/event-socket.ts";

const PASSWORD = "correct horse battery staple";
const workspace = perTest(aWorkspace);
const gateway = aGateway();
const systemWorkspace = oncePerFile(aSystemWorkspace);

type Api = Pick<ReturnType<typeof apiWith>, "call" | "post" | "get">;
/** Who set the password of the mailbox and made the app password, and what ends their right. */
interface Ending {
  by: Api;
  end: () => Promise<unknown>;
  /** Of the secrets the one that ends; both by default. */
  only?: "app password" | "password";
}

const path = (suffix = "") => `/v1/mailboxes/${workspace.mailboxId}${suffix}`;
const call = async (api: Api, method: string, target: string, body?: unknown) => {
  const response = await api.call(method, target, body);
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
};
const assign = (...user_ids: string[]) => call(workspace, "PUT", path("/assignees"), { user_ids });
const memberPath = (userId: string) => `/v1/workspaces/${workspace.workspaceId}/members/${userId}`;

async function byMember(role: "admin" | "member", end: (userId: string) => Promise<unknown>): Promise<Ending> {
  const { userId } = await aMember(workspace, role);
  if (role === "member") await assign(userId);
  return { by: await aSession({ ...workspace, userId }), end: () => end(userId) };
}

const byOwner = async (end: (owner: Api) => Promise<unknown>, only?: Ending["only"]): Promise<Ending> => {
  const by = await aSession(workspace);
  return { by, end: () => end(by), ...(only ? { only } : {}) };
};

const ENDINGS: Readonly<Record<string, () => Promise<Ending>>> = {
  "its app password is deleted": () =>
    byOwner(async () => {
      const [{ id } = { id: "" }] = await (await workspace.get(path("/app-passwords"))).json<{ id: string }[]>();
      await call(workspace, "DELETE", path(`/app-passwords/${id}`));
    }, "app password"),
  "the password of the mailbox is set": () =>
    byOwner((owner) => call(owner, "PUT", path("/password"), { password: `${PASSWORD} 2` })),
  "the API key that set it is revoked": async () => {
    const id = crypto.randomUUID();
    const by = apiWith(await aKey(workspace, { id }));
    return { by, end: async () => call(await aSession(workspace), "DELETE", `/v1/api-keys/${id}`) };
  },
  "the admin who set it is removed": () => byMember("admin", (userId) => call(workspace, "DELETE", memberPath(userId))),
  "the admin who set it becomes a member": () =>
    byMember("admin", (userId) => call(workspace, "PATCH", memberPath(userId), { role: "member" })),
  "the member who set it is no longer assigned": () => byMember("member", () => assign()),
  "the mailbox is deactivated": () => byOwner(() => call(workspace, "PATCH", path(), { is_active: false })),
  "the mailbox is deleted": () => byOwner(() => call(workspace, "DELETE", path())),
  "its domain moves to another workspace": () =>
    byOwner(async () => {
      await systemWorkspace();
      await transfer(workspace, await aWorkspace());
    }),
  "its domain is deleted": () =>
    byOwner(() => call(workspace, "DELETE", `/v1/domains/${workspace.domainId}?delete_mailboxes=true`)),
  "its workspace is deleted": () => byOwner(() => call(workspace, "DELETE", `/v1/workspaces/${workspace.workspaceId}`)),
};

/** Opens each door by a password. */
async function openDoors(password: string) {
  const imap = await logInToImap(workspace.mailbox, password);
  const smtp = await gateway.login({ username: workspace.mailbox, password });
  expect([imap.error, smtp.reply]).toEqual([null, null]);
  return { imap: imap.access, smtp: { token: smtp.token ?? "", access: smtp.access ?? { id: "", secret: "" } } };
}

async function signIn() {
  const login = await apiWith(null).post("/v1/webmail/login", { email: workspace.mailbox, password: PASSWORD });
  return apiWith((await login.json<{ access_token: string }>()).access_token);
}

describe.each(Object.entries(ENDINGS))("when %s", (name, prepare) => {
  it("each login is refused, each open connection is named as ended, and its next command is refused", async () => {
    const { by, end, only } = await prepare();
    await call(by, "PUT", path("/password"), { password: PASSWORD });
    const { password } = await anAppPassword({ ...workspace, post: by.post });
    const open = [await openDoors(password), await openDoors(PASSWORD)];
    const accesses = open.flatMap(({ imap, smtp }) => [imap, smtp.access]);
    expect(await findEnded(...accesses)).toEqual([]);
    await end();
    const ended = only === "app password" ? [true, false] : [true, true];
    expect(await findEnded(...accesses)).toEqual([0, 1, 2, 3].filter((n) => ended[Math.floor(n / 2)]));
    const later = testContext({}, () => Date.now() + 3_000);
    for (const [index, { imap, smtp }] of open.entries()) {
      const next = openForCall(later, imap).then(() => "open", String);
      expect(await next).toMatch(ended[index] ? /The access has ended; log in again/ : /^open$/);
      const { reply } = await gateway.checkSender(smtp.token, workspace.mailbox);
      expect(reply ?? "open").toMatch(ended[index] ? /^535 5\.7\.8 The access to this mailbox has ended/ : /^open$/);
      const given = [password, PASSWORD][index] ?? "";
      const logins = [
        (await logInToImap(workspace.mailbox, given)).error?.code,
        (await gateway.login({ username: workspace.mailbox, password: given })).reply?.slice(0, 3),
      ];
      expect(logins).toEqual(ended[index] ? ["AUTHENTICATIONFAILED", "535"] : [undefined, undefined]);
    }
  });

  it.skipIf(name.includes("app password"))("a live socket is told nothing more, and closes", async () => {
    const { by, end } = await prepare();
    await call(by, "PUT", path("/password"), { password: PASSWORD });
    const sessions = name.includes("key") || name.includes("who set it") ? [by, await signIn()] : [await signIn()];
    const sockets = await Promise.all(sessions.map((api) => watch(api, workspace.mailboxId)));
    await end();
    await env.MAILBOX.getByName(workspace.mailboxId).createFolder("Told to others");
    for (const { closeCode, changes } of sockets) expect([await closeCode(), changes]).toEqual([4001, []]);
  });
});
