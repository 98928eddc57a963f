/** Mail programs of others against the gateway: Python's imaplib, curl, and mbsync where Debian's is installed. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeBundle } from "../../bench/host/start.ts";
import { type GatewayRig, startRig } from "./support/gateway-rig.ts";

const run = promisify(execFile);
const PASSWORD = "correct horse battery staple";
let rig: GatewayRig;
let port: number;

beforeAll(async () => {
  rig = await startRig({}, { imap: [{ port: 0, isImplicitTls: true }] });
  [port = 0] = rig.gateway.ports.imap;
  await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
}, 120_000);
afterAll(async () => {
  await rig?.close();
  await removeBundle();
});

const hasProgram = (name: string) =>
  run("which", [name]).then(
    () => true,
    () => false,
  );

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
  it("lists folders and reads a message", async () => {
    const call = async (target: string, ...more: string[]) => {
      const url = `imaps://127.0.0.1:${port}/${target}`;
      const { stdout } = await run("curl", ["-sS", "-k", url, "-u", `${rig.seed.mailbox}:${PASSWORD}`, ...more]);
      return stdout;
    };
    expect(await call("")).toContain('* LIST (\\HasNoChildren \\Trash) "/" Trash');
    expect(await call("Work;MAILINDEX=1")).toContain("Subject: number 10\r\n");
  });
});

describe("mbsync", async () => {
  it.runIf(await hasProgram("mbsync"))("copies a mailbox, and changes both ways", async () => {
    const root = await mkdtemp(path.join(os.tmpdir(), "mbsync-"));
    const config = path.join(root, "mbsyncrc");
    await mkdir(path.join(root, "mail"));
    await writeFile(
      config,
      `
IMAPAccount a
Host localhost
Port ${port}
User ${rig.seed.mailbox}
Pass "${PASSWORD}"
SSLType IMAPS
CertificateFile ${rig.caFile}

IMAPStore far
Account a

MaildirStore near
Path ${root}/mail/
Inbox ${root}/mail/INBOX
SubFolders Verbatim

Channel all
Far :far:
Near :near:
Patterns *
Create Both
Expunge Both
SyncState *
`,
    );
    const sync = () => run("mbsync", ["-c", config, "-a"], { timeout: 60_000 });
    const files = async (folder: string) => {
      const names = await Promise.all(["cur", "new"].map((part) => readdir(path.join(root, "mail", folder, part))));
      return names.flat();
    };
    try {
      await sync();
      expect(await files("Work")).toHaveLength(20);
      await writeFile(path.join(root, "mail", "Work", "new", "1.local.host"), "Subject: local\n\nwritten here\n");
      const [gone = ""] = await readdir(path.join(root, "mail", "Work", "cur"));
      await rm(path.join(root, "mail", "Work", "cur", gone));
      await sync();
      await sync();
      const { items } = (await rig.api("GET", `/v1/inbox/${rig.seed.mailboxId}/messages?folder=Work`)) as {
        items: { subject: string }[];
      };
      expect(items).toHaveLength(20);
      expect(items.map(({ subject }) => subject)).toContain("local");
      expect(await files("Work")).toHaveLength(20);
      const state = await readFile(path.join(root, "mail", "Work", ".mbsyncstate"), "utf8");
      expect(state).toContain("FarUidValidity");
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
