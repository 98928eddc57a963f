import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { runRetention } from "../../support/retention.ts";
import { aWorkspace, discardingQueue, perTest, testContext } from "../../support/workspace.ts";
import { aRule } from "../forwarding-rules/support.ts";
import { forwardRows } from "../forwards/support.ts";
import { aRawMessage, deliver, objectsOf } from "./support.ts";

const workspace = perTest(aWorkspace);

const store = (id = workspace.mailboxId) => env.MAILBOX.getByName(id);
const list = async (folder = "INBOX", id?: string) =>
  (await store(id).list(folder, { limit: 200, offset: 0 }))?.items ?? [];
const logOf = async (of = workspace) => {
  const results = await database.rows("SELECT * FROM inbound_emails WHERE workspace = ?1 ORDER BY n", [
    of.workspaceNumber,
  ]);
  return results;
};
const usedBytes = () => database.value("SELECT used_bytes FROM mailboxes WHERE id = ?1", [workspace.mailboxId]);

describe("mail for a hosted mailbox", () => {
  it("is in INBOX when it was accepted, byte for byte in R2, and in the inbound log", async () => {
    const raw = aRawMessage({ Subject: "=?utf-8?q?Caf=C3=A9?=" });
    expect(await deliver(workspace.mailbox, raw)).toBeNull();
    const [item, ...others] = await list();
    expect(others).toEqual([]);
    expect(item).toMatchObject({
      uid: 1,
      folder: "INBOX",
      from: { email: "ada@example.org", name: "Ada Lovelace" },
      subject: "Café",
      date: Date.UTC(2026, 10, 21, 14),
      size: raw.length,
      seen: false,
      preview: "Hello, this is a text.",
    });
    const [key = ""] = await objectsOf(workspace.mailboxId);
    expect(await (await env.CONTENT.get(key))?.text()).toBe(raw);
    expect(await logOf()).toEqual([
      expect.objectContaining({
        mailbox_id: workspace.mailboxId,
        from_address: "ada@example.org",
        recipient: workspace.mailbox,
        subject: "Café",
        text_preview: "Hello, this is a text.",
        attachment_count: 0,
      }),
    ]);
    expect(await usedBytes()).toBe(raw.length);
  });

  it("goes to the exact address, else to the one before the plus, else to the catch-all", async () => {
    const { id } = await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "*" });
    for (const local of ["hello", "HELLO", "hello+news", "anyone", "any+one"])
      expect(await deliver(`${local}@${workspace.domain}`, aRawMessage()), local).toBeNull();
    expect([(await list()).length, (await list("INBOX", id)).length]).toEqual([3, 2]);
  });

  it("for the postmaster goes to their own mailbox, else to the catch-all, else to the oldest mailbox that is active (RFC 5321 4.5.1)", async () => {
    const write = () => deliver(`Postmaster@${workspace.domain}`, aRawMessage());
    const add = async (local: string) =>
      (await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: local })).id;
    const others = [await add("later")];
    expect(await write()).toBeNull();
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: false });
    expect(await write()).toBeNull();
    for (const local of ["*", "postmaster"]) {
      others.push(await add(local));
      expect(await write(), local).toBeNull();
    }
    const counts = await Promise.all(
      [workspace.mailboxId, ...others].map(async (id) => (await list("INBOX", id)).length),
    );
    expect(counts).toEqual([1, 1, 1, 1]);
  });

  it("for a postmaster without a domain goes to the mailbox of the service", async () => {
    const bindings = { SYSTEM_MAILBOX: workspace.mailbox };
    expect(await deliver("Postmaster", aRawMessage(), { bindings })).toBeNull();
    expect(await list()).toHaveLength(1);
    expect(await deliver("Postmaster", aRawMessage())).toBe("550 5.1.1 No such recipient");
    expect(await deliver("postmaster@nowhere.example", aRawMessage())).toBe("550 5.1.1 No such recipient");
  });

  it("is refused for an unknown address, and for a mailbox that is not active", async () => {
    expect(await deliver(`nobody@${workspace.domain}`, aRawMessage())).toBe("550 5.1.1 No such recipient");
    expect(await deliver("nobody@nowhere.example", aRawMessage())).toBe("550 5.1.1 No such recipient");
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: false });
    expect(await deliver(workspace.mailbox, aRawMessage())).toBe("550 5.1.1 No such recipient");
    expect(await logOf()).toEqual([]);
  });

  it("is stored once when it is delivered again, with other trace fields", async () => {
    const raw = aRawMessage();
    await deliver(workspace.mailbox, raw);
    await deliver(workspace.mailbox, raw);
    await deliver(workspace.mailbox, `Received: from x by y; now\r\n${raw}`);
    expect([(await list()).length, (await objectsOf(workspace.mailboxId)).length, (await logOf()).length]).toEqual([
      1, 1, 1,
    ]);
    await deliver(workspace.mailbox, aRawMessage());
    expect((await list()).length).toBe(2);
  });

  it("is stored each time when it has no Message-ID, as from printers and monitors", async () => {
    const report = (subject: string) =>
      aRawMessage({ Subject: subject, Date: undefined, "Message-ID": undefined }, "Status: ok\r\n");
    for (const subject of ["Printer 1", "Printer 2", "Printer 2"])
      expect(await deliver(workspace.mailbox, report(subject))).toBeNull();
    expect((await list()).map(({ subject }) => subject).sort()).toEqual(["Printer 1", "Printer 2", "Printer 2"]);
    expect((await logOf()).length).toBe(3);
  });

  it.each(["", " ", "<>", "none"])("is stored each time when its Message-ID is %j", async (messageId) => {
    const raw = aRawMessage({ "Message-ID": messageId });
    for (let time = 0; time < 2; time++) await deliver(workspace.mailbox, raw);
    expect([(await list()).length, (await logOf()).length]).toEqual([2, 2]);
  });

  it("is stored each time when it has 0 bytes", async () => {
    for (let time = 0; time < 2; time++) expect(await deliver(workspace.mailbox, "")).toBeNull();
    expect((await list()).map(({ size, subject }) => [size, subject])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    expect((await logOf()).length).toBe(2);
  });

  it("is stored again when its subject or its sender differs, whatever its Message-ID says", async () => {
    const fields = { "Message-ID": "<same@example.org>" };
    for (const changes of [{}, { Subject: "Another subject" }, { From: "bea@example.org" }])
      await deliver(workspace.mailbox, aRawMessage({ ...fields, ...changes }));
    expect([(await list()).length, (await logOf()).length]).toEqual([3, 3]);
  });

  it("is stored, logged and forwarded again after its first copy was expunged", async () => {
    const { id: target } = await workspace.create("/v1/mailboxes/", {
      domain_id: workspace.domainId,
      local_part: "other",
    });
    await aRule(workspace, {
      mailbox_id: workspace.mailboxId,
      domain_id: undefined,
      action: { type: "mailbox", target },
    });
    const raw = aRawMessage();
    // The outbox rows of the forwards stay.
    const bindings = { WORK: discardingQueue };
    await deliver(workspace.mailbox, raw, { bindings });
    await deliver(workspace.mailbox, raw, { bindings });
    expect([(await forwardRows(workspace)).length, (await logOf()).length]).toEqual([1, 1]);
    await store().move("INBOX", [1], "Trash");
    await deliver(workspace.mailbox, raw, { bindings });
    expect((await list()).length).toBe(0);
    await store().expunge("Trash", [1]);
    await deliver(workspace.mailbox, raw, { bindings });
    expect([(await list()).length, (await forwardRows(workspace)).length, (await logOf()).length]).toEqual([1, 2, 2]);
  });

  it("is stored again when its first copy arrived more than 7 days before", async () => {
    const raw = aRawMessage();
    const age = (days: number) =>
      runInDurableObject(store(), (_object, { storage }) => {
        storage.sql.exec("UPDATE deliveries SET at = ?", Date.now() - days * 24 * 3_600_000);
      });
    await deliver(workspace.mailbox, raw);
    await age(6.99);
    await deliver(workspace.mailbox, raw);
    expect((await list()).length).toBe(1);
    await age(7.01);
    await deliver(workspace.mailbox, raw);
    await deliver(workspace.mailbox, raw);
    expect([(await list()).length, (await logOf()).length]).toEqual([2, 2]);
  });

  it("is asked to come again when the mailbox is full, and leaves nothing behind", async () => {
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { quota_bytes: 100 });
    await expect(deliver(workspace.mailbox, aRawMessage())).rejects.toThrow("452 4.2.2");
    expect([await list(), await objectsOf(workspace.mailboxId), await logOf()]).toEqual([[], [], []]);
  });

  it("is refused above 25 MiB, and accepted with 25 MiB", async () => {
    const message = (bytes: number) => {
      const raw = new Uint8Array(bytes).fill(0x61);
      raw.set(new TextEncoder().encode(aRawMessage()));
      return raw;
    };
    expect(await deliver(workspace.mailbox, message(25 * 1024 * 1024 + 1))).toMatch(/^552 5\.3\.4 /);
    expect(await deliver(workspace.mailbox, message(25 * 1024 * 1024))).toBeNull();
    expect((await list()).map(({ size }) => size)).toEqual([25 * 1024 * 1024]);
  });

  it("has no log entry any more after RETENTION_DAYS", async () => {
    await deliver(workspace.mailbox, aRawMessage());
    const later = () => Date.now() + 366 * 24 * 3_600_000;
    await runRetention(testContext({}, later));
    expect(await logOf()).toEqual([]);
  });
});
