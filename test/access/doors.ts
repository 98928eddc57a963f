import { env } from "cloudflare:workers";
import { openForCall } from "../../src/mailboxes/imap/access.ts";
import { findEnded, logInToImap } from "../mailboxes/app-passwords/support.ts";
import { confirmTarget } from "../mailboxes/forwarding-rules/support.ts";
import { arrive, collectingEgress, forwardAt } from "../mailboxes/forwards/support.ts";
import { aRawMessage } from "../mailboxes/inbound/support.ts";
import { watch } from "../mailboxes/inbox/event-socket.ts";
import type { browser } from "../support/sign-ins.ts";
import { aGateway } from "../support/submissions.ts";
import { type apiWith, type TestWorkspace, testContext, until } from "../support/workspace.ts";

/** The ways to read mail of a mailbox, or to have it sent. */
export const DOORS = [
  "REST",
  "page",
  "webmail",
  "IMAP, open",
  "IMAP, new",
  "SMTP, open",
  "SMTP, new",
  "MCP",
  "live socket",
  "forwarding filter",
] as const;
export type Door = (typeof DOORS)[number];

/** Returns whether a door that was opened is still open. Each call is the next request there; "nothing": wait until it is closed without one. */
type Probe = (next?: "nothing") => Promise<boolean>;
/** The doors that a credential opens. */
export type Opened = Partial<Record<Door, Probe>>;

type Api = ReturnType<typeof apiWith>;
const gateway = aGateway();
const isOk = async (response: Response | Promise<Response>) => (await response).status < 300;

/** The doors of a caller of the API. */
export const ofApi = ({ mailboxId }: TestWorkspace, api: Pick<Api, "get">): Opened => ({
  REST: () => isOk(api.get(`/v1/inbox/${mailboxId}/folders`)),
});

/** The doors of a session of a user: a page of the dashboard about the mailbox, and its mail. */
export const ofPages = ({ mailboxId }: TestWorkspace, session: Pick<Api, "get">): Opened => ({
  page: () => isOk(session.get(`/app/mailboxes/${mailboxId}`)),
  webmail: () => isOk(session.get(`/mail/filters/${mailboxId}`)),
});

/** The door of the mailbox's own session in a browser. */
export const ofWebmail = ({ mailboxId }: TestWorkspace, page: ReturnType<typeof browser>): Opened => ({
  webmail: () => isOk(page.get(`/mail/filters/${mailboxId}`)),
});

/** The doors of a secret of mail programs. */
export async function ofSecret({ mailbox }: TestWorkspace, password: string): Promise<Opened> {
  const login = { username: mailbox, password };
  const { access } = await logInToImap(mailbox, password);
  const { token = "", access: submission } = await gateway.login(login);
  if (!submission) throw new Error("the login has failed");
  // A command of IMAP may use an answer of three seconds, so each comes later than that.
  let ahead = 0;
  const later = testContext({}, () => Date.now() + ahead);
  const isNamedAsEnded = async (opened: typeof access) => (await findEnded(opened)).length > 0;
  return {
    // The gateway asks about open connections each four seconds, and closes those that are named.
    "IMAP, open": async () => {
      ahead += 3_000;
      const next = await openForCall(later, access).then(
        () => true,
        () => false,
      );
      if (next === (await isNamedAsEnded(access))) throw new Error("the next command and the question differ");
      return next;
    },
    "IMAP, new": async () => (await logInToImap(mailbox, password)).error === null,
    "SMTP, open": async () => {
      const next = (await gateway.checkSender(token, mailbox)).reply === null;
      if (next === (await isNamedAsEnded(submission))) throw new Error("the next command and the question differ");
      return next;
    },
    "SMTP, new": async () => (await gateway.login(login)).reply === null,
  };
}

/** The door of a program that calls tools. */
export const ofMcp = ({ mailboxId }: TestWorkspace, api: Pick<Api, "post">): Opened => ({
  MCP: async () => {
    const params = { name: "list_mailbox_folders", arguments: { mailbox_id: mailboxId } };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const response = await api.post("/mcp", call, { Accept: "application/json, text/event-stream" });
    return response.status === 200 && !(await response.text()).includes('"isError":true');
  },
});

/** The door of a socket of changes. It is open when it is told of a change, and closed by the service otherwise. */
export async function ofSocket({ mailboxId }: TestWorkspace, api: Pick<Api, "get">): Promise<Opened> {
  const { changes, closeCode } = await watch(api, mailboxId);
  return {
    "live socket": async (next) => {
      const closed = closeCode().then(() => false);
      if (next === "nothing") return closed;
      const before = changes.length;
      await env.MAILBOX.getByName(mailboxId).createFolder(crypto.randomUUID());
      const told = until(
        async () => changes.length,
        (count) => count > before,
      ).then(() => true);
      return Promise.race([told, closed]);
    },
  };
}

/** The door of a filter that its maker has made, which forwards all mail to an address outside. */
export async function ofFilter(workspace: TestWorkspace, maker: Pick<Api, "post">): Promise<Opened> {
  const address = `${crypto.randomUUID()}@elsewhere.example`;
  await confirmTarget(workspace, address);
  const response = await maker.post(`/v1/inbox/${workspace.mailboxId}/filters`, {
    match: { conditions: [{ field: "size", op: "over", value: 1 }] },
    actions: [{ type: "forward", address }],
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return {
    "forwarding filter": async () => {
      await arrive(workspace.mailbox, aRawMessage({ Subject: "Hello" }), { isAuthentic: true }).catch(() => {});
      const { egress, sent } = collectingEgress();
      await forwardAt(workspace, egress);
      return sent.some(({ to }) => to === address);
    },
  };
}
