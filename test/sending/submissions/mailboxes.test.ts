/** Mail programs that send by the address and a password of a mailbox. */
import { beforeEach, describe, expect, it } from "vitest";
import { countTogether } from "../../../src/platform/rate-limits/exact.ts";
import { networkLimit } from "../../../src/sending/submissions/rules.ts";
import { anAppPassword, logInToImap } from "../../mailboxes/app-passwords/support.ts";
import { database } from "../../support/databases.ts";
import { latin1 } from "../../support/outgoing-mail.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sentBy } from "../../support/smtp-control.ts";
import { insertCredential } from "../../support/smtp-credentials.ts";
import { aGateway, GATEWAY_HEADERS, type Gateway } from "../../support/submissions.ts";
import { apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { messagesOf } from "./support.ts";

const PASSWORD = "correct horse battery staple";
const WRONG = "535 5.7.8 The username or the password is wrong";
const ENDED = "535 5.7.8 The access to this mailbox has ended; log in again";

const workspace = perTest(aWorkspace);
let gateway: Gateway;
let message: ReturnType<typeof messagesOf>["message"];

beforeEach(async () => {
  gateway = aGateway();
  ({ message } = messagesOf(workspace));
});

const path = (suffix = "") => `/v1/mailboxes/${workspace.mailboxId}${suffix}`;
const setPassword = (password = PASSWORD) => workspace.call("PUT", path("/password"), { password });
const logIn = (password: string, connection = "c1", ip = "192.0.2.1") =>
  gateway.login({ username: workspace.mailbox, password }, connection, ip);
async function tokenOf(password: string): Promise<string> {
  const { reply, token = "" } = await logIn(password);
  if (reply !== null) throw new Error(reply);
  return token;
}
const submit = (token: string, text = message(), to = ["friend@example.org"]) =>
  gateway.submit(token, workspace.mailbox, to, text);
/** Delivers what is due and makes copies in Sent. Returns the messages that left. */
async function work() {
  const messages = await sentBy((EGRESS_URL) => runOutboxAt(Date.now(), { EGRESS_URL }, ["deliver", "sent-copy"]));
  return messages.map(({ raw, rcpts }) => ({ raw: latin1(raw), rcpts }));
}
const inbox = async <Body>(suffix: string) =>
  (await workspace.get(`/v1/inbox/${workspace.mailboxId}${suffix}`)).json<Body>();
interface Item {
  uid: number;
  subject: string;
  seen: boolean;
}
const sentItems = async () => (await inbox<{ items: Item[] }>("/messages?folder=Sent")).items;

describe("a login with the address of a mailbox", () => {
  it("takes its password and its app passwords, and refuses any other with the text of an unknown one", async () => {
    await setPassword();
    const { password } = await anAppPassword(workspace);
    expect((await logIn(PASSWORD)).token).toBeTruthy();
    expect((await logIn(password)).token).toBeTruthy();
    const upper = { username: workspace.mailbox.toUpperCase(), password: password.toUpperCase() };
    expect((await gateway.login(upper)).token).toBeTruthy();
    expect([(await logIn("wrong")).reply, (await logIn(password.slice(1))).reply]).toEqual([WRONG, WRONG]);
    expect((await gateway.login({ username: `nobody@${workspace.domain}`, password })).reply).toBe(WRONG);
    const other = await aWorkspace();
    expect((await gateway.login({ username: other.mailbox, password })).reply).toBe(WRONG);
  });

  it("records when an app password was used", async () => {
    const { id, password } = await anAppPassword(workspace);
    await logIn(password);
    const row = await database.row("SELECT last_used_at FROM app_passwords WHERE id = ?1", [id]);
    expect(row?.last_used_at).toEqual(expect.any(Number));
  });

  it("is that of an SMTP credential with this username, if there is one", async () => {
    const { password } = await anAppPassword(workspace);
    const credential = await insertCredential(workspace, { domain_id: workspace.domainId });
    await database.run("UPDATE smtp_credentials SET username = ?2 WHERE id = ?1", [credential.id, workspace.mailbox]);
    expect((await logIn(credential.password)).token).toBeTruthy();
    expect((await logIn(password)).reply).toBe(WRONG);
  });

  it("counts wrong passwords together with webmail and IMAP", async () => {
    await setPassword();
    const webmail = (password: string) =>
      apiWith(null).post(
        "/v1/webmail/login",
        { email: workspace.mailbox, password },
        { "CF-Connecting-IP": "198.51.100.4" },
      );
    for (let n = 0; n < 5; n += 1) {
      expect((await logIn(`wrong ${n}`, "c", "198.51.100.4")).reply).toBe(WRONG);
      expect((await logInToImap(workspace.mailbox, `wrong ${n}`, "198.51.100.4")).error?.code).toBe(
        "AUTHENTICATIONFAILED",
      );
    }
    expect((await logIn(PASSWORD, "c", "198.51.100.4")).reply).toMatch(/^454 4\.7\.0 Too many failed logins/);
    expect((await logInToImap(workspace.mailbox, PASSWORD, "198.51.100.4")).error?.code).toBe("LIMIT");
    expect((await webmail(PASSWORD)).status).toBe(429);
    expect((await logIn(PASSWORD, "c", "203.0.113.5")).reply).toBeNull();
  });

  it("with an app password works beyond the limit of wrong passwords, which still holds for any other", async () => {
    await setPassword();
    const { password } = await anAppPassword(workspace);
    const ip = "198.51.100.40";
    for (let n = 0; n < 12; n += 1) await logInToImap(workspace.mailbox, `wrong ${n}`, ip);
    expect((await logInToImap(workspace.mailbox, PASSWORD, ip)).error?.code).toBe("LIMIT");
    expect((await logInToImap(workspace.mailbox, password.slice(1), ip)).error?.code).toBe("LIMIT");
    expect((await logInToImap(workspace.mailbox, password, ip)).error).toBeNull();
    expect((await logIn(password, "c", ip)).reply).toBeNull();
  });

  it("works for 20 programs with app passwords of their own at once", async () => {
    const passwords = await Promise.all(Array.from({ length: 20 }, () => anAppPassword(workspace)));
    const imap = passwords.map(({ password }) => logInToImap(workspace.mailbox, password, "198.51.100.50"));
    const submission = passwords.map(({ password }) => logIn(password, "c", "198.51.100.50"));
    expect((await Promise.all(imap)).map(({ error }) => error)).toEqual(passwords.map(() => null));
    expect((await Promise.all(submission)).map(({ reply }) => reply)).toEqual(passwords.map(() => null));
  });

  it("is refused after 100 failures from one network, whatever the addresses", async () => {
    await setPassword();
    for (let n = 0; n < 100; n += 1) await countTogether(testContext(), [networkLimit("203.0.115.9")]);
    const nobody = { username: `nobody@${workspace.domain}`, password: PASSWORD };
    for (const login of [nobody, { ...nobody, username: workspace.mailbox }])
      expect((await gateway.login(login, "c", "203.0.115.10")).reply).toMatch(/^454 4\.7\.0 Too many failed logins/);
    expect((await logIn(PASSWORD, "c", "203.0.114.9")).reply).toBeNull();
  });
});

describe("a message of a mailbox", () => {
  it("is sent from the mailbox byte for byte, untracked, and once in Sent with its hidden recipients", async () => {
    await workspace.call("PATCH", "/v1/workspace", { settings: { tracking_opens: true, tracking_clicks: true } });
    const { password } = await anAppPassword(workspace);
    const html = '<a href="https://example.org/">Hello</a>\n';
    const text = message(
      { Bcc: "hidden@example.org", "Content-Type": "text/html", "Message-ID": "<one@program>" },
      html,
    );
    const { reply, id = "" } = await submit(await tokenOf(password), text, [
      "friend@example.org",
      "hidden@example.org",
    ]);
    expect(reply).toBeNull();
    const email = await (await workspace.get(`/v1/emails/${id}`)).json<Record<string, unknown>>();
    expect(email).toMatchObject({ source: "inbox", message_id: "<one@program>" });
    const messages = (await work()).filter(({ raw }) => raw.includes("<one@program>"));
    expect(messages.flatMap(({ rcpts }) => rcpts)).toEqual(
      expect.arrayContaining(["RCPT TO:<friend@example.org>", "RCPT TO:<hidden@example.org>"]),
    );
    for (const { raw } of messages) {
      expect(raw.endsWith('\r\n\r\n<a href="https://example.org/">Hello</a>\r\n')).toBe(true);
      expect(raw).not.toContain("hidden@example.org");
    }
    await work();
    const items = await sentItems();
    expect(items).toMatchObject([{ subject: "A subject", seen: true }]);
    const copy = await inbox<Record<string, unknown>>(`/messages/${items[0]?.uid}?folder=Sent`);
    expect(copy).toMatchObject({
      message_id: "<one@program>",
      to: [{ email: "friend@example.org" }],
      bcc: [{ email: "hidden@example.org" }],
    });
  });

  it("of more than the row of an email holds is in Sent as it was submitted", async () => {
    const { password } = await anAppPassword(workspace);
    const line = `${"0123456789".repeat(7)}\n`;
    const { reply } = await submit(await tokenOf(password), message({}, line.repeat(4_000)));
    expect(reply).toBeNull();
    await work();
    const [item] = await sentItems();
    const raw = await workspace.get(`/v1/inbox/${workspace.mailboxId}/messages/${item?.uid}/raw?folder=Sent`);
    expect((await raw.text()).endsWith(line.replace("\n", "\r\n").repeat(4_000))).toBe(true);
  });

  it("has one copy in Sent when its program puts one there, before or after the service does", async () => {
    const { password } = await anAppPassword(workspace);
    const [token, imap] = [await tokenOf(password), await logInToImap(workspace.mailbox, password)];
    const append = async (text: string) => {
      const raw = new TextEncoder().encode(text);
      const header = { folder: "Sent", flags: { flags: ["\\Seen"], keywords: [] }, date: null, size: raw.length };
      const response = await apiWith(null).call("POST", "/gateway/imap/messages", new Blob([raw]).stream(), {
        ...GATEWAY_HEADERS,
        "Content-Type": "message/rfc822",
        "X-Access": btoa(JSON.stringify(imap.access)),
        "X-Message": btoa(JSON.stringify(header)),
      });
      return response.json<{ error: null; uid: number }>();
    };
    const [first, second] = [
      message({ "Message-ID": "<first@program>" }),
      message({ "Message-ID": "<second@program>" }),
    ];
    await submit(token, first);
    const appended = await append(first);
    await work();
    expect(await sentItems()).toMatchObject([{ uid: appended.uid }]);
    await submit(token, second);
    await work();
    const known = await append(second);
    expect((await sentItems()).map(({ uid }) => uid).toSorted()).toEqual([appended.uid, known.uid].toSorted());
  });

  it("is refused from another address: in the envelope, and in the field From", async () => {
    const second = `second@${workspace.domain}`;
    await workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "second" });
    const { password } = await anAppPassword(workspace);
    const token = await tokenOf(password);
    expect((await gateway.checkSender(token, workspace.mailbox)).reply).toBeNull();
    const plus = workspace.mailbox.replace("@", "+x@");
    for (const from of [second, "someone@example.org", "", plus, `${workspace.mailbox}\r\nRSET`])
      expect((await gateway.checkSender(token, from)).reply, from).toMatch(/^55[03] 5\.\d\.\d /);
    for (const from of [second, "someone@example.org", `${workspace.mailbox}, ${second}`])
      expect((await submit(token, message({ From: from }))).reply, from).toMatch(/^55[04] 5\.\d\.\d /);
    expect((await gateway.submit(token, second, ["friend@example.org"], message())).reply).toMatch(/^550 5\.7\.1 /);
    expect((await workspace.get("/v1/emails/")).status).toBe(200);
    expect(await (await workspace.get("/v1/emails/")).json()).toMatchObject([]);
  });

  it("is in the transaction of its group, with a copy of each", async () => {
    const { password } = await anAppPassword(workspace);
    const token = await tokenOf(password);
    const texts = ["One", "Two", "Three"].map((Subject) => message({ Subject }));
    const replies = await gateway.submitGroup(
      workspace.mailbox,
      texts.map((text, n) => ({ token, connection: `c${n}`, to: ["friend@example.org"], text })),
    );
    expect(replies.map(({ reply }) => reply)).toEqual([null, null, null]);
    await work();
    expect((await sentItems()).map(({ subject }) => subject).toSorted()).toEqual(["One", "Three", "Two"]);
  });

  it("that is submitted again after a lost response is one email with one copy", async () => {
    const { password } = await anAppPassword(workspace);
    const [first, second] = [
      await submit(await tokenOf(password)),
      await submit((await logIn(password, "c2")).token ?? ""),
    ];
    expect(second.id).toBe(first.id);
    await work();
    expect(await sentItems()).toHaveLength(1);
  });

  it("counts for the daily limit and stops with a pause, as what webmail sends does", async () => {
    const { password } = await anAppPassword(workspace);
    const token = await tokenOf(password);
    await database.run("UPDATE workspaces SET daily_limit = 1 WHERE number = ?1", [workspace.workspaceNumber]);
    expect((await submit(token, message({ Subject: "One" }))).reply).toBeNull();
    expect((await submit(token, message({ Subject: "Two" }))).reply).toMatch(/^451 4\.7\.1 /);
    await database.run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", [workspace.workspaceNumber]);
    expect((await gateway.checkSender(token, workspace.mailbox)).reply).toMatch(/^450 4\.7\.1 /);
  });

  it("to suppressed recipients only leaves no copy, as in webmail", async () => {
    await workspace.post("/v1/suppressions/", { email: "friend@example.org" });
    const { password } = await anAppPassword(workspace);
    expect((await submit(await tokenOf(password))).reply).toBeNull();
    await work();
    expect(await sentItems()).toEqual([]);
  });
});

describe("an open connection is refused", () => {
  const refused = async (token: string) => [
    (await gateway.checkSender(token, workspace.mailbox)).reply,
    (await submit(token)).reply,
    (await logIn(PASSWORD, "c9")).reply,
  ];

  it("once its app password is deleted, and others go on", async () => {
    await setPassword();
    const { id, password } = await anAppPassword(workspace);
    const [ofApp, own] = [await tokenOf(password), await tokenOf(PASSWORD)];
    await workspace.call("DELETE", path(`/app-passwords/${id}`));
    expect(await refused(ofApp)).toEqual([ENDED, ENDED, null]);
    expect((await logIn(password)).reply).toBe(WRONG);
    expect((await submit(own)).reply).toBeNull();
  });

  it("once the password of the mailbox is set, also to the same one", async () => {
    await setPassword();
    const token = await tokenOf(PASSWORD);
    await setPassword();
    expect(await refused(token)).toEqual([ENDED, ENDED, null]);
  });

  it("once the mailbox is inactive or deleted", async () => {
    const { password } = await anAppPassword(workspace);
    const token = await tokenOf(password);
    await workspace.call("PATCH", path(), { is_active: false });
    expect(await refused(token)).toEqual([ENDED, ENDED, WRONG]);
    await workspace.call("PATCH", path(), { is_active: true });
    expect((await gateway.checkSender(token, workspace.mailbox)).reply).toBeNull();
    await workspace.call("DELETE", path());
    expect(await refused(token)).toEqual([ENDED, ENDED, WRONG]);
  });
});
