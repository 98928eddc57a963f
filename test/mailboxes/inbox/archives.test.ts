import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { storedObjects } from "../../support/stored-objects.ts";
import { aKey, aMember, apiOn, perTest } from "../../support/workspace.ts";
import { deliver, objectsOf } from "../inbound/support.ts";
import { anInbox, type Inbox, type Item } from "./support.ts";
import { aZip, type TestFile } from "./zip-files.ts";

const inbox = perTest(anInbox);

interface Summary {
  imported: number;
  duplicates: number;
  skipped: number;
  errors: string[];
}

async function exportFrom(from: Inbox, format: string, query = ""): Promise<Uint8Array<ArrayBuffer>> {
  const response = await from.call("GET", `/export?format=${format}${query}`);
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

const post = (to: Inbox, archive: BodyInit & { length: number }, query = "", type = "application/zip") =>
  to.workspace.call("POST", to.path(`/import${query}`), archive, {
    "Content-Type": type,
    "Content-Length": String(archive.length),
  });

async function importInto(to: Inbox, archive: Uint8Array<ArrayBuffer> | string, query = ""): Promise<Summary> {
  // The test client takes texts and streams.
  const bytes = typeof archive === "string" ? new TextEncoder().encode(archive) : archive;
  const body = Object.assign(new Blob([bytes]).stream(), { length: bytes.length });
  const response = await post(to, body, query);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<Summary>();
}

const zipOf = (files: readonly TestFile[]) => aZip(files);
const AT = "Sat Nov 21 14:12:48 2026";
const mail = (subject: string, text = "Text.\r\n") => `Subject: ${subject}\r\nFrom: ada@example.org\r\n\r\n${text}`;

/** Returns everything of a mailbox that an archive keeps. */
async function stateOf(of: Inbox) {
  const labels = await of.json<{ id: string; name: string; color: string }[]>("GET", "/labels");
  const nameOf = new Map(labels.map(({ id, name }) => [id, name]));
  const folders = await of.json<{ name: string; total: number; unseen: number }[]>("GET", "/folders");
  const messages = await Promise.all(
    folders.map(async ({ name }) => {
      const items = await of.list(encodeURIComponent(name));
      return Promise.all(
        items.map(async (item) => {
          const { uid, seen, flagged, answered, labels, has_attachments } = item as Item & Record<string, unknown>;
          const path = `/messages/${uid}/raw?folder=${encodeURIComponent(name)}`;
          const raw = [...new Uint8Array(await (await of.call("GET", path)).arrayBuffer())].join();
          const named = labels.map((id) => nameOf.get(id)).sort();
          return { name, raw, seen, flagged, answered, labels: named, has_attachments };
        }),
      );
    }),
  );
  return {
    folders: folders.map(({ name, total, unseen }) => [name, total, unseen]),
    labels: labels.map(({ name, color }) => [name, color]),
    messages: messages.flat().sort((a, b) => (a.name < b.name ? -1 : a.name === b.name ? 0 : 1)),
  };
}

/** Fills a mailbox with what archives get wrong. */
async function fillMailbox(): Promise<void> {
  const bodies = [
    "From the start\r\n>From a quote\r\n\r\nFrom Bob\r\n",
    "no line break at the end",
    "\r\n\r\n\r\n",
    "LF only\n\nFrom x\n",
    "",
    `${"0123456789".repeat(40_000)}\r\n`,
  ];
  for (const [index, body] of bodies.entries()) await inbox.receive({ Subject: `${index} ümläut` }, body);
  const forged = { "X-Mailbox-Folder": "Trash", "X-Mailbox-Flags": "seen" };
  await inbox.receive({ From: undefined, To: undefined, ...forged, Subject: "forged" });
  for (const name of ["Ünter/ordner", "Empty", "a:b*".replace("*", "?"), "..."])
    expect((await inbox.call("POST", "/folders", { name })).status).toBe(201);
  const ids = [];
  for (const name of ["Bills & Co", "unused", "Größe=1"]) {
    const label = await inbox.json<{ id: string }>("POST", "/labels", { name, color: "#12ab34" });
    ids.push(label.id);
  }
  await inbox.call("PUT", "/messages/1/labels", { label_ids: [ids[0], ids[2]] });
  await inbox.call("POST", "/messages/1/flags", { seen: true, flagged: true, answered: true });
  await inbox.call("POST", "/messages/2/flags", { flagged: true });
  await inbox.call("POST", "/messages/2/move", { folder: "Ünter/ordner" });
  await inbox.call("POST", "/messages/3/move", { folder: ".." });
  await inbox.call("POST", "/messages/4/move", { folder: "a:b?" });
  await inbox.call("POST", "/messages/5/spam");
  await inbox.call("POST", "/drafts", { subject: "A draft", text: "Later", to: ["bob@example.org"] });
}

describe("an export followed by an import", () => {
  for (const format of ["zip", "mbox"]) {
    it(`as ${format} gives the same messages: folders, flags, labels, order and bytes; twice, it adds nothing`, async () => {
      await fillMailbox();
      const expected = await stateOf(inbox);
      expect(expected.messages.length).toBe(8);
      const other = await anInbox();
      const archive = await exportFrom(inbox, format);
      expect(await importInto(other, archive)).toEqual({ imported: 8, duplicates: 0, skipped: 0, errors: [] });
      const { messages, ...lists } = await stateOf(other);
      expect(messages).toEqual(expected.messages);
      // An mbox file has messages only, since other programs would show a list as one.
      if (format === "zip") expect({ messages, ...lists }).toEqual(expected);
      expect(await importInto(other, archive)).toEqual({ imported: 0, duplicates: 8, skipped: 0, errors: [] });
      expect((await objectsOf(other.workspace.mailboxId)).length).toBe(8);
      const quota = await other.json<{ used_bytes: number }>("GET", "/quota");
      expect(quota).toEqual(await inbox.json("GET", "/quota"));
      const row = "SELECT used_bytes FROM mailboxes WHERE id = ?1";
      expect(await env.DB.prepare(row).bind(other.workspace.mailboxId).first("used_bytes")).toBe(quota.used_bytes);
    });
  }

  it("as mbox is a file with the messages only, and one of an earlier version with a list of folders restores these", async () => {
    await inbox.receive({ Subject: "only" });
    const archive = new TextDecoder().decode(await exportFrom(inbox, "mbox"));
    expect(archive.match(/^From /gm)?.length).toBe(1);
    expect(archive).not.toContain("FOLDER INTERNAL DATA");
    const list = JSON.stringify({ folders: ["Empty"], labels: [{ name: "Bills", color: "#12ab34" }] });
    const header = "Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA\r\nX-Mailbox-Contents: 1\r\n";
    const earlier = `From MAILER-DAEMON ${AT}\r\n${header}Content-Type: application/json\r\n\r\n${list}\r\n\r\n${archive}`;
    const other = await anInbox();
    expect((await importInto(other, earlier)).imported).toBe(1);
    const { folders, labels } = await stateOf(other);
    expect(folders.map(([name]) => name)).toContain("Empty");
    expect(labels).toEqual([["Bills", "#12ab34"]]);
  });

  it("of one folder has its messages only, and a message that was deleted since comes back", async () => {
    await inbox.receive({ Subject: "a" });
    await inbox.receive({ Subject: "b" });
    await inbox.call("POST", "/messages/2/move", { folder: "Archive" });
    const archive = await exportFrom(inbox, "mbox", "&folder=archive");
    const other = await anInbox();
    expect((await importInto(other, archive)).imported).toBe(1);
    await other.call("DELETE", "/messages/1?folder=Archive&expunge=true");
    expect((await importInto(other, archive)).imported).toBe(1);
    expect((await other.list("Archive")).map(({ subject }) => subject)).toEqual(["b"]);
    expect((await inbox.call("GET", "/export?folder=Nowhere")).status).toBe(404);
    expect((await inbox.call("GET", "/export?format=tar")).status).toBe(422);
  });

  it("of a large message is complete", async () => {
    // Larger than what is held in memory at once, on both ways.
    const large = new Uint8Array(env.TEST_LONG ? 25 * 1024 * 1024 - 200 : 5 * 1024 * 1024).fill(0x61);
    large.set(new TextEncoder().encode("Subject: large\r\n\r\n"));
    expect(await deliver(inbox.workspace.mailbox, large)).toBeNull();
    for (const format of ["zip", "mbox"]) {
      const other = await anInbox();
      expect((await importInto(other, await exportFrom(inbox, format))).imported).toBe(1);
      const raw = await (await other.call("GET", "/messages/1/raw")).arrayBuffer();
      expect(raw.byteLength).toBe(large.length);
    }
  });

  it("ends the download when a message cannot be read, and leaves out one that was deleted meanwhile", async () => {
    await inbox.receive({ Subject: "a" });
    await inbox.receive({ Subject: "b" });
    const [first = ""] = await objectsOf(inbox.workspace.mailboxId);
    const failing = {
      get: (key: string) => (key === first ? Promise.reject(new Error("R2 is down")) : env.CONTENT.get(key)),
    };
    for (const format of ["zip", "mbox"]) {
      const response = await apiOn({ CONTENT: failing }, inbox.workspace.apiKey).get(
        inbox.path(`/export?format=${format}`),
      );
      await expect(response.arrayBuffer()).rejects.toThrow();
    }
    await env.CONTENT.delete(first);
    expect((await importInto(await anInbox(), await exportFrom(inbox, "zip"))).imported).toBe(1);
  });
});

describe("an import of another program's archive", () => {
  it("takes folders from directories and from the names of mbox files, and marks messages as seen", async () => {
    const mbox = `\ufeffFrom a@b ${AT}\n${mail("in mbox")}\nFrom a@b ${AT}\n${mail("second")}\n`;
    const files = [
      { name: "top.eml", data: mail("top") },
      { name: "Work/Old/1.EML", data: mail("deep"), deflate: true },
      { name: "sent/1.eml", data: mail("sent"), deflate: true },
      { name: "Takeout/All mail.mbox", data: mbox, deflate: true },
      { name: "readme.txt", data: "x" },
      { name: "dir/", data: "" },
    ];
    const summary = await importInto(inbox, await zipOf(files));
    expect(summary).toMatchObject({ imported: 5, skipped: 1, errors: ['"readme.txt": this is no .eml or .mbox file'] });
    const subjects = async (folder: string) =>
      (await inbox.list(encodeURIComponent(folder))).map(({ subject, seen }) => `${subject} ${seen}`);
    expect(await subjects("INBOX")).toEqual(["top true"]);
    expect(await subjects("Work/Old")).toEqual(["deep true"]);
    expect(await subjects("Sent")).toEqual(["sent true"]);
    expect((await subjects("All mail")).sort()).toEqual(["in mbox true", "second true"]);
  });

  it("puts messages without a folder into the one of the query, and no forged result of DMARC is believed", async () => {
    const text = `From a\r\nAuthentication-Results: mx; dmarc=pass\r\n${mail("x")}\r\n`;
    await importInto(inbox, text, "?folder=Imported");
    const [item] = await inbox.list("Imported");
    const message = await inbox.json<{ authentication: unknown }>("GET", `/messages/${item?.uid}?folder=Imported`);
    expect(message.authentication).toBeNull();
    expect((await post(inbox, "From a", "?folder=%2A")).status).toBe(422);
  });
});

describe("a hostile archive", () => {
  it("of hostile path names creates folders of harmless names only, and writes below the mailbox only", async () => {
    const names = [
      "../../evil.eml",
      "/etc/passwd.eml",
      "..\\..\\win.eml",
      "C:\\x\\y.eml",
      "a/../../b.eml",
      `${"long/".repeat(200)}x.eml`,
      "nul\0/\u202e/x.eml",
      "__proto__/x.eml",
    ];
    const elsewhere = async () => (await storedObjects()).filter(({ key }) => !key.includes(inbox.workspace.mailboxId));
    const before = (await elsewhere()).length;
    const summary = await importInto(inbox, await zipOf(names.map((name, n) => ({ name, data: mail(`${n}`) }))));
    expect(summary).toMatchObject({ imported: names.length, errors: [] });
    const folders = (await inbox.json<{ name: string }[]>("GET", "/folders")).map(({ name }) => name).slice(6);
    expect(folders).toEqual(["C:/x", "__proto__", "a", "etc", "nul"]);
    for (const name of folders) expect(name).toMatch(/^[^\p{C}\\*]+$/u);
    expect(folders.some((name) => name.split("/").includes(".."))).toBe(false);
    expect(await elsewhere()).toHaveLength(before);
  });

  it("that decompresses to much more than its size is stopped, and what came before it stays", async () => {
    const bomb = { data: new Uint8Array(20 * 1024 * 1024), deflate: true };
    const files = [
      { name: "a.eml", data: mail("good") },
      ...Array.from({ length: 6 }, (_, n) => ({ name: `${n}.eml`, ...bomb })),
    ];
    const summary = await importInto(inbox, await zipOf(files));
    expect(summary.errors).toEqual(["the archive decompresses to more than 10 times its size"]);
    expect((await inbox.list()).some(({ subject }) => subject === "good")).toBe(true);
  });

  it("with a message beyond 25 MiB skips it", async () => {
    const files = [
      { name: "big.eml", data: new Uint8Array(25 * 1024 * 1024 + 1), deflate: true },
      { name: "a.eml", data: mail("good") },
    ];
    expect(await importInto(inbox, await zipOf(files))).toEqual({
      imported: 1,
      duplicates: 0,
      skipped: 1,
      errors: ['"big.eml": the message is larger than 26214400 bytes'],
    });
  });

  it("of damaged, encrypted or lying entries imports the others and names the issues", async () => {
    const archive = await zipOf([
      { name: "damaged.eml", data: mail("x".repeat(500)), deflate: true, corrupt: true },
      { name: "encrypted.eml", data: "x", flags: 1 },
      { name: "method.eml", data: "x", method: 99 },
      { name: "outside.eml", data: "x", at: 0x7fffffff },
      { name: "size.eml", data: mail("small"), claimedSize: 0x7fffffff },
      { name: "good.eml", data: mail("good") },
      { name: "changed.eml", data: mail("x".repeat(500)), corrupt: true },
      { name: "list.mbox", data: `From a ${AT}\n${mail("first")}\nFrom a ${AT}\n${mail("last")}`, crc: 1 },
    ]);
    const summary = await importInto(inbox, archive);
    // Of the list all but its last message, which may be what is damaged.
    expect([summary.imported, summary.skipped]).toEqual([3, 6]);
    expect(summary.errors.map((error) => error.split(":")[0])).toEqual([
      '"damaged.eml"',
      '"encrypted.eml"',
      '"method.eml"',
      '"outside.eml"',
      '"changed.eml"',
      '"list.mbox"',
    ]);
    expect(summary.errors.at(-1)).toMatch(/do not match its checksum$/);
  });

  it("of more than 100,000 files, without an end, cut off, or of junk is refused, and leaves no upload", async () => {
    const many = await zipOf([{ name: "a.eml", data: mail("a") }]);
    new DataView(many.buffer).setUint16(many.length - 12, 0xfffe, true);
    new DataView(many.buffer).setUint16(many.length - 14, 0xfffe, true);
    expect((await importInto(inbox, many)).errors).toEqual([expect.stringMatching(/cut off|damaged/)]);
    const text = await zipOf([{ name: "a.eml", data: mail("a") }]);
    expect((await importInto(inbox, text.slice(0, -10))).errors).toEqual([expect.stringMatching(/its end is missing/)]);
    expect((await post(inbox, "junk")).status).toBe(422);
    expect((await post(inbox, "")).status).toBe(400);
    expect((await post(inbox, "From a", "", "text/plain")).status).toBe(415);
    const headers = { "Content-Type": "application/mbox" };
    const endless = new ReadableStream({ pull: (controller) => controller.close() });
    expect((await inbox.workspace.call("POST", inbox.path("/import"), endless, headers)).status).toBe(411);
    const tooLarge = { ...headers, "Content-Length": "500000001" };
    expect((await inbox.workspace.call("POST", inbox.path("/import"), "From a", tooLarge)).status).toBe(413);
    expect((await objectsOf(inbox.workspace.mailboxId)).filter((key) => key.includes("/files/"))).toEqual([]);
  });

  it("of random bytes or of a damaged archive never returns a 500", async () => {
    const archive = await zipOf(
      Array.from({ length: 5 }, (_, n) => ({ name: `${n}.eml`, data: mail(`${n}`), deflate: n > 2 })),
    );
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 60; round++) {
      const damaged = archive.slice();
      for (let change = 0; change <= round % 4; change++) damaged[4 + random(archive.length - 4)] = random(256);
      const body = Object.assign(new Blob([damaged]).stream(), { length: damaged.length });
      const response = await post(inbox, body);
      expect([200, 422], `${round}: ${await response.text()}`).toContain(response.status);
    }
  });

  it("into a full mailbox ends with what fits", async () => {
    await inbox.workspace.call("PATCH", `/v1/mailboxes/${inbox.workspace.mailboxId}`, { quota_bytes: 1_000 });
    const files = Array.from({ length: 5 }, (_, n) => ({ name: `${n}.eml`, data: mail(`${n}`, "x".repeat(350)) }));
    const summary = await importInto(inbox, await zipOf(files));
    expect([summary.imported, summary.errors]).toEqual([2, ["The mailbox is full"]]);
    expect((await objectsOf(inbox.workspace.mailboxId)).length).toBe(2);
  });
});

it("an export ends with an error when its reader, who takes it slowly, may no longer open the mailbox", async () => {
  const { workspace, path } = inbox;
  await importInto(
    inbox,
    Array.from({ length: 501 }, (_, n) => `From a ${AT}\r\n${mail(`mail ${n}`)}\r\n`).join(""),
    "?format=mbox",
  );
  for (const end of ["unassigned", "goes on"]) {
    const { userId } = await aMember(workspace, "member");
    const assign = (...user_ids: string[]) =>
      workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids });
    await assign(userId);
    const api = apiOn({}, await aKey({ ...workspace, userId }));
    const reader = (await api.get(path("/export?format=mbox"))).body?.getReader();
    const readAll = async () => {
      while (!(await reader?.read())?.done);
    };
    await reader?.read();
    if (end === "goes on") await readAll();
    else {
      await assign();
      await expect(readAll()).rejects.toThrow("The access to this mailbox has ended");
    }
  }
});
