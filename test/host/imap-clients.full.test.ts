/** Mail programs of others against the gateway: each does real work both ways. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ImapFlow } from "imapflow";
import { beforeAll, describe, expect, it } from "vitest";
import { startRig } from "./support/gateway-rig.ts";
import { MbsyncClient } from "./support/imap/mbsync.ts";
import { perSuite } from "./support/suite.ts";

const run = promisify(execFile);
const PASSWORD = "correct horse battery staple";
const rig = perSuite(() => startRig("imapclients.test", {}, { imap: [{ port: 0, isImplicitTls: true }] }));
let port: number;

beforeAll(async () => {
  [port = 0] = rig.gateway.ports.imap;
  await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
});

/** Returns whether a program can be run. With REQUIRE_TOOLS=1 it throws instead of returning false. */
function hasProgram(name: string, debianPackage = name): boolean {
  if (!spawnSync(name, ["--version"]).error) return true;
  const reason = `${name} is not installed; on Debian: apt-get install ${debianPackage}`;
  if (process.env.REQUIRE_TOOLS === "1") throw new Error(`REQUIRE_TOOLS: ${reason}`);
  console.warn(`SKIPPED, ${reason}: it was not tested`);
  return false;
}

/** Runs `work` with an empty folder. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "imap-client-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Message {
  uid: number;
  subject: string;
  seen: boolean;
  flagged: boolean;
}

/** Returns the messages of a folder as the API lists them. */
async function listed(folder: string): Promise<Message[]> {
  const path = `/v1/inbox/${rig.seed.mailboxId}/messages?folder=${encodeURIComponent(folder)}`;
  return (await rig.api<{ items: Message[] }>("GET", path)).items;
}

const subjects = async (folder: string) => (await listed(folder)).map(({ subject }) => subject).sort();

/** Puts a message into a folder, as curl appends it. */
async function put(folder: string, subject: string): Promise<void> {
  await inFolder(async (directory) => {
    const file = path.join(directory, "message");
    await writeFile(file, `From: Ada <ada@example.org>\r\nSubject: ${subject}\r\n\r\nText of ${subject}.\r\n`);
    await curl(folder, "-T", file);
  });
}

async function curl(target: string, ...more: string[]): Promise<string> {
  const url = `imaps://localhost:${port}/${target}`;
  const login = ["--cacert", rig.caFile, "-u", `${rig.seed.mailbox}:${PASSWORD}`];
  return (await run("curl", ["-sS", "--ipv4", url, ...login, ...more])).stdout;
}

describe("Python's imaplib", () => {
  it("appends, searches, fetches, copies and expunges", async () => {
    const script = `
import imaplib, ssl, sys, json
port, user, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
context = ssl.create_default_context(cafile=sys.argv[4]); context.check_hostname = False
m = imaplib.IMAP4_SSL('127.0.0.1', port, ssl_context=context)
m.login(user, password)
out = {}
m.create('Work'); m.create('Work/2026')
for n in range(30):
    m.append('Work', '(\\\\Seen)' if n % 3 == 0 else '', None, ('From: a%d@example.org\\r\\nSubject: number %d\\r\\nX-N: n%d\\r\\n\\r\\nbody %d pelican\\r\\n' % (n, n, n, n)).encode())
m.select('Work')
out['unseen'] = len(m.search(None, 'UNSEEN')[1][0].split())
out['subject'] = m.search(None, 'SUBJECT', '"umber 7"')[1][0].decode()
out['header'] = m.search(None, 'HEADER', 'X-N', 'n12')[1][0].decode()
out['body'] = len(m.search(None, 'BODY', '"elica"')[1][0].split())
out['or'] = m.search(None, '(OR FROM a3@ FROM a4@)', 'SEEN')[1][0].decode()
out['fetch'] = [part[0].decode() for part in m.fetch('3', '(ENVELOPE BODYSTRUCTURE)')[1] if isinstance(part, tuple)] or m.fetch('3', '(ENVELOPE BODYSTRUCTURE)')[1][0].decode()
m.copy('1:5', 'Work/2026')
m.store('1:10', '+FLAGS', '\\\\Deleted')
m.expunge()
out['left'] = m.select('Work')[1][0].decode()
out['copies'] = m.select('Work/2026')[1][0].decode()
out['list'] = sorted(line.decode() for line in m.list('""', 'Work*')[1])
m.logout()
print(json.dumps(out))`;
    const { stdout } = await run("python3", ["-c", script, String(port), rig.seed.mailbox, PASSWORD, rig.caFile]);
    expect(JSON.parse(stdout)).toEqual({
      ...{ unseen: 20, subject: "8", header: "13", body: 30, or: "4", left: "20", copies: "5" },
      fetch: expect.stringContaining('"number 2" ((NIL NIL "a2" "example.org"))'),
      list: ['(\\HasChildren) "/" Work', '(\\HasNoChildren) "/" Work/2026'],
    });
  });
});

describe("curl", () => {
  it("lists folders, appends a message, marks it and reads it", async () => {
    expect(await curl("")).toContain('* LIST (\\HasNoChildren \\Trash) "/" Trash');
    expect(await curl("Work;MAILINDEX=1")).toContain("Subject: number 10\r\n");
    await put("Archive", "by curl");
    await curl("Archive", "-X", "STORE 1 +FLAGS (\\Flagged)");
    expect(await listed("Archive")).toMatchObject([{ subject: "by curl", flagged: true }]);
    expect(await curl("Archive;MAILINDEX=1;SECTION=TEXT")).toBe("Text of by curl.\r\n");
  });
});

describe("fetchmail", () => {
  it.runIf(hasProgram("fetchmail"))("takes the messages of the inbox and deletes them", async () => {
    for (const subject of ["fetched one", "fetched two"]) await put("INBOX", subject);
    await inFolder(async (folder) => {
      const config = path.join(folder, "fetchmailrc");
      const taken = path.join(folder, "taken");
      await writeFile(
        config,
        `poll localhost service ${port} protocol imap user "${rig.seed.mailbox}" password "${PASSWORD}"
          fetchall ssl sslcertck sslcertfile "${rig.caFile}" mda "cat >>${taken}"\n`,
        { mode: 0o600 },
      );
      await run("fetchmail", [
        "-f",
        config,
        "--nodetach",
        "--pidfile",
        path.join(folder, "pid"),
        "-i",
        `${folder}/ids`,
      ]);
      const text = await readFile(taken, "utf8");
      for (const subject of ["fetched one", "fetched two"]) expect(text).toContain(`Text of ${subject}.`);
    });
    expect(await subjects("INBOX")).toEqual([]);
  });
});

describe("neomutt", () => {
  it.runIf(hasProgram("neomutt"))("saves tagged messages to another folder and deletes others", async () => {
    for (const subject of ["to save", "to delete", "to keep"]) await put("INBOX", subject);
    await inFolder(async (folder) => {
      const config = path.join(folder, "neomuttrc");
      const keys = [
        "<tag-pattern>~s save<enter><tag-prefix><save-message><kill-line>+Archive<enter>",
        "<delete-pattern>~s delete<enter><tag-pattern>~s keep<enter><tag-prefix><flag-message><sync-mailbox><quit>",
      ];
      await writeFile(
        config,
        `set imap_user="${rig.seed.mailbox}" imap_pass="${PASSWORD}" folder="imaps://localhost:${port}/" spool_file="+INBOX"
set certificate_file="${rig.caFile}" ssl_verify_host=no confirm_append=no delete=yes quit=yes wait_key=no sleep_time=0
set tmpdir="${folder}"
push "${keys.join("")}"
`,
      );
      await run("script", ["-qec", `neomutt -n -F ${config} -f +INBOX`, "/dev/null"], {
        timeout: 30_000,
        env: { ...process.env, TERM: "xterm", HOME: folder },
      });
    });
    expect(await listed("INBOX")).toMatchObject([{ subject: "to keep", flagged: true }]);
    expect(await subjects("Archive")).toContain("to save");
  });
});

describe("offlineimap", () => {
  it.runIf(hasProgram("offlineimap", "offlineimap3"))("copies a mailbox, and changes both ways", async () => {
    await inFolder(async (folder) => {
      const config = path.join(folder, "offlineimaprc");
      await writeFile(
        config,
        `[general]
accounts = a
metadata = ${folder}/metadata
ui = quiet

[Account a]
localrepository = near
remoterepository = far

[Repository near]
type = Maildir
localfolders = ${folder}/mail

[Repository far]
type = IMAP
remotehost = localhost
remoteport = ${port}
remoteuser = ${rig.seed.mailbox}
remotepass = ${PASSWORD}
ssl = yes
sslcacertfile = ${rig.caFile}
folderfilter = lambda name: name.startswith("Work")
`,
      );
      const sync = () => run("offlineimap", ["-c", config, "-o"], { timeout: 60_000 });
      const mail = path.join(folder, "mail", "Work");
      const files = async () => {
        const parts = ["cur", "new"].map(async (part) =>
          (await readdir(path.join(mail, part))).map((name) => `${part}/${name}`),
        );
        return (await Promise.all(parts)).flat();
      };
      await sync();
      const before = await subjects("Work");
      expect(await files()).toHaveLength(before.length);
      const isUnseen = (name: string) => !/:2,.*S/.test(name);
      const [gone = "", seen = ""] = (await files()).filter(isUnseen);
      await rm(path.join(mail, gone));
      await rename(path.join(mail, seen), path.join(mail, "cur", `${path.basename(seen).replace(/:2,.*/, "")}:2,S`));
      await writeFile(path.join(mail, "new", "1.local.host:2,"), "Subject: by offlineimap\n\nwritten here\n");
      await put("Work", "meanwhile");
      const unseen = (await listed("Work")).filter(({ seen }) => !seen).length;
      await sync();
      await sync();
      const after = await subjects("Work");
      expect(after).toEqual(expect.arrayContaining(["by offlineimap", "meanwhile"]));
      expect(after).toHaveLength(before.length + 1);
      // One unseen message was deleted, one was seen, and a new one is not seen.
      expect((await listed("Work")).filter(({ seen }) => !seen)).toHaveLength(unseen - 1);
      expect(await files()).toHaveLength(after.length);
    });
  });
});

describe("imapflow", () => {
  it("waits for a message, and reads, marks, moves and deletes it", async () => {
    const client = new ImapFlow({
      ...{ host: "localhost", port, secure: true, logger: false },
      auth: { user: rig.seed.mailbox, pass: PASSWORD },
      tls: { ca: await readFile(rig.caFile) },
    });
    await client.connect();
    try {
      await client.mailboxCreate("Flow");
      await client.mailboxOpen("Flow");
      const told = new Promise<number>((resolve) => client.once("exists", ({ count }) => resolve(count)));
      void client.idle();
      await put("Flow", "for imapflow");
      expect(await told).toBe(1);
      const [message] = await client.fetchAll("1:*", { envelope: true, uid: true, bodyStructure: true, source: true });
      expect(message?.envelope?.subject).toBe("for imapflow");
      expect(message?.source?.toString()).toContain("Text of for imapflow.");
      await client.messageFlagsAdd("1:*", ["\\Flagged", "$Flow"]);
      expect(await client.search({ keyword: "$Flow", flagged: true })).toEqual([1]);
      await client.append("Flow", "Subject: appended\r\n\r\nA text\r\n", ["\\Seen"]);
      await client.messageMove("1", "Archive");
      expect(await subjects("Flow")).toEqual(["appended"]);
      expect((await listed("Archive")).find(({ subject }) => subject === "for imapflow")?.flagged).toBe(true);
      await client.messageDelete("1:*");
      expect(await client.status("Flow", { messages: true })).toMatchObject({ messages: 0 });
      await client.mailboxClose();
      await client.mailboxDelete("Flow");
      expect((await client.list()).map(({ path: name }) => name)).not.toContain("Flow");
    } finally {
      await client.logout();
    }
  });
});

describe("mbsync", () => {
  it.runIf(hasProgram("mbsync", "isync"))("copies a mailbox, and changes both ways", async () => {
    const login = { port, caFile: rig.caFile, username: rig.seed.mailbox, password: PASSWORD };
    const client = await MbsyncClient.create(login);
    try {
      const before = await subjects("Work");
      await client.sync();
      const [gone] = await client.files("Work");
      expect(await client.files("Work")).toHaveLength(before.length);
      await client.write("Work", "Subject: by mbsync\n\nwritten here\n");
      if (gone) await client.delete(gone);
      await client.sync();
      await client.sync();
      const after = await subjects("Work");
      expect(after).toHaveLength(before.length);
      expect(after).toContain("by mbsync");
      expect(await client.files("Work")).toHaveLength(after.length);
    } finally {
      await client.remove();
    }
  });
});
