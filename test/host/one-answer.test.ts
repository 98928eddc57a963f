/** Messages of all shapes, charsets, encodings and addresses, read by IMAP, the API, webmail and Python's email. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { DomUtils, parseDocument } from "htmlparser2";
import { ImapFlow } from "imapflow";
import { beforeAll, describe, expect, it } from "vitest";
import { newSession } from "../../src/access/sessions/start.ts";
import { byExtent } from "./support/extent.ts";
import { startRig } from "./support/gateway-rig.ts";
import { pythonUnavailable } from "./support/python.ts";
import { sharedService } from "./support/shared-service.ts";
import { perSuite } from "./support/suite.ts";

const COUNT = byExtent({ quick: 30, full: 100, long: 300 });
const SEED = 20_261_201;
const PASSWORD = "correct horse battery staple";

/** Where a reader that is not ours differs, and why. */
const KNOWN: readonly (readonly [difference: RegExp, why: string])[] = [
  [/^Python (from|to|cc): .*\(the first\)/, "Python adds the comment of a phrase to it"],
  [/^Python (from|to|cc): .*@other\.example/, "Python takes a relay of a source route for an address"],
  [/^Python date: .* and null/, "Python reads no comment within a time"],
  [/^Python files: .*Gr����e\.pdf/, "Python reads a file name with UTF-8 as ASCII"],
  [
    /^IMAP files: .*100%25\.txt.* and .*100%\.txt/,
    "imapflow decodes also the sections of a parameter that are not encoded",
  ],
  [/^Python error: .*'ascii' codec/, "Python's decode_header does not read a field with both encoded-words and UTF-8"],
];

type Person = [name: string, address: string];
/** How a reader sees a message. An absent field is one that it does not show. */
interface Reading {
  subject: string;
  date?: number | null;
  from?: Person[];
  to?: Person[];
  cc?: Person[];
  text?: string | null;
  files: [name: string, base64: string][];
}
interface Made {
  raw: string;
  meant: Reading & { sample: string };
  python: Reading | { error: string };
}

const rig = perSuite(() => startRig("oneanswer.test", {}, { imap: [{ port: 0, isImplicitTls: true }] }));
let made: Made[];
let uids: number[];
let client: ImapFlow;
let cookie: string;

const inbox = (suffix: string) => `/v1/inbox/${rig.seed.mailboxId}${suffix}`;
const line = (text: string | null | undefined) => (text ?? "").replace(/\s+/g, " ").trim();
const lines = (text: string | null = null) => text?.replaceAll("\r\n", "\n").trim() ?? null;
const base64 = async (response: Response) => Buffer.from(await response.arrayBuffer()).toString("base64");

async function byApi(uid: number): Promise<Reading> {
  type Address = { email: string; name: string | null };
  const message = await rig.api<{
    subject: string;
    date: string;
    from: Address | null;
    to: Address[];
    cc: Address[];
    text: string | null;
    attachments: { part_id: string; filename: string | null; inline: boolean }[];
  }>("GET", inbox(`/messages/${uid}`));
  const people = (list: (Address | null)[]) =>
    list.flatMap((one): Person[] => (one ? [[one.name ?? "", one.email]] : []));
  const files = message.attachments.filter(({ inline }) => !inline);
  const headers = { Authorization: `Bearer ${rig.seed.apiKey}` };
  return {
    ...{ subject: message.subject, date: Date.parse(message.date) / 1000, text: message.text },
    ...{ from: people([message.from]), to: people(message.to), cc: people(message.cc) },
    files: await Promise.all(
      files.map(
        async ({ part_id, filename }): Promise<[string, string]> => [
          filename ?? "",
          await base64(await fetch(`${rig.host.url}${inbox(`/attachments/${uid}/${part_id}`)}`, { headers })),
        ],
      ),
    ),
  };
}

async function byWebmail(uid: number): Promise<Reading> {
  const get = (url: string) => fetch(new URL(url, rig.host.url), { headers: { Cookie: cookie } });
  const page = parseDocument(await (await get(`/mail/${rig.seed.mailboxId}/INBOX/${uid}`)).text());
  const all = (test: (name: string, classes: string) => boolean, within = page) =>
    DomUtils.findAll((element) => test(element.name, element.attribs.class ?? ""), within.children);
  const text = all((name, classes) => name === "pre" && classes === "mail").map(DomUtils.textContent)[0] ?? null;
  // A frame has the HTML of a message.
  const isText = all((name, classes) => name === "iframe" && classes === "mail").length === 0;
  const [heading] = all((name) => name === "h1");
  const files = all((name) => name === "ul").flatMap((list) => DomUtils.getElementsByTagName("a", list.children));
  return {
    subject: heading ? DomUtils.textContent(heading) : "",
    ...(isText ? { text } : {}),
    files: await Promise.all(
      files
        .filter(({ attribs }) => attribs.href?.includes("/parts/"))
        .map(
          async (link): Promise<[string, string]> => [
            DomUtils.textContent(DomUtils.getElementsByTagName("span", link.children)[0] ?? []),
            await base64(await get(link.attribs.href ?? "")),
          ],
        ),
    ),
  };
}

async function byImap(uid: number): Promise<Reading> {
  const message = await client.fetchOne(String(uid), { envelope: true, bodyStructure: true }, { uid: true });
  if (!message) throw new Error(`no message ${uid}`);
  const { envelope, bodyStructure } = message;
  const people = (list: { name?: string; address?: string }[] = []): Person[] =>
    list.flatMap(({ name, address }) => (address?.includes("@") ? [[name ?? "", address]] : []));
  type Node = NonNullable<typeof bodyStructure>;
  const leaves = (node: Node): Node[] =>
    node.type.startsWith("multipart/") ? (node.childNodes ?? []).flatMap(leaves) : [node];
  const content = async ({ part = "1" }: Node) => {
    const pieces: Buffer[] = [];
    const { content: stream } = await client.download(String(uid), part, { uid: true });
    for await (const piece of stream ?? []) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  const parts = bodyStructure ? leaves(bodyStructure) : [];
  const text = parts.find(({ type, disposition }) => type === "text/plain" && disposition !== "attachment");
  const files: [string, string][] = [];
  for (const one of parts.filter(({ disposition }) => disposition === "attachment"))
    files.push([one.dispositionParameters?.filename ?? "", (await content(one)).toString("base64")]);
  return {
    ...{ subject: envelope?.subject ?? "", text: text ? (await content(text)).toString() : null, files },
    ...{ from: people(envelope?.from), to: people(envelope?.to), cc: people(envelope?.cc) },
  };
}

/** Returns what a reader sees otherwise than its writer meant. */
function differences(reader: string, meant: Reading, seen: Reading | { error: string }): string[] {
  if ("error" in seen) return [`${reader} error: ${seen.error}`];
  const people = (list: Person[] = []) => list.map(([name, email]) => [line(name), email.replaceAll('"', "")]);
  const pairs: Record<string, [unknown, unknown]> = {
    subject: [line(meant.subject), line(seen.subject)],
    files: [meant.files, seen.files],
    ...(seen.text === undefined ? {} : { text: [lines(meant.text), lines(seen.text)] }),
    ...(seen.date === undefined ? {} : { date: [meant.date, seen.date] }),
    ...(seen.from ? { from: [people(meant.from), people(seen.from)] } : {}),
    ...(seen.from ? { to: [people(meant.to), people(seen.to)], cc: [people(meant.cc), people(seen.cc)] } : {}),
  };
  return Object.entries(pairs)
    .filter(([, [a, b]]) => JSON.stringify(a) !== JSON.stringify(b))
    .map(([field, [a, b]]) => `${reader} ${field}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`);
}

describe.skipIf(pythonUnavailable() !== null)("a message", () => {
  beforeAll(async () => {
    const script = path.join(import.meta.dirname, "support/made_mail.py");
    const { stdout, stderr } = spawnSync("python3", [script, String(SEED), String(COUNT)], {
      maxBuffer: 1e9,
      env: { ...process.env, TZ: "UTC" },
    });
    expect(stderr.toString()).toBe("");
    made = stdout
      .toString()
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one) as Made);
    expect(made).toHaveLength(COUNT);
    await rig.api("PUT", `/v1/mailboxes/${rig.seed.mailboxId}/password`, { password: PASSWORD });
    const { ctx } = await sharedService();
    const { userId, workspaceId } = rig.seed;
    const device = {
      ip: "192.0.2.7",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    };
    const { statements, tokens } = await newSession(ctx, { userId, workspaceId, method: "magic_link", client: device });
    await ctx.db.batch(statements);
    cookie = `session=${tokens.accessToken}; refresh=${tokens.refreshToken}`;
    client = new ImapFlow({
      ...{ host: "127.0.0.1", port: rig.gateway.ports.imap[0] ?? 0, secure: true, logger: false },
      auth: { user: rig.seed.mailbox, pass: PASSWORD },
      tls: { rejectUnauthorized: false },
    });
    await client.connect();
    uids = [];
    for (const { raw } of made) {
      const appended = await client.append("INBOX", Buffer.from(raw, "base64"));
      uids.push((appended ? appended.uid : undefined) ?? 0);
    }
    await client.mailboxOpen("INBOX");
    return () => client.logout();
  }, 300_000);

  it("is what its writer meant, for the API, webmail, a mail program and Python", async () => {
    const found: string[] = [];
    for (const [index, { meant, python }] of made.entries()) {
      const uid = uids[index] ?? 0;
      const readings = { API: byApi(uid), webmail: byWebmail(uid), IMAP: byImap(uid), Python: Promise.resolve(python) };
      for (const [reader, reading] of Object.entries(readings))
        for (const one of differences(reader, meant, await reading))
          if (!KNOWN.some(([known]) => known.test(one))) found.push(`${index} ${one}`);
    }
    expect(found).toEqual([]);
  }, 600_000);

  it("with HTML shows the text of its writer in the frame of webmail, and in the API", async () => {
    const missing: number[] = [];
    for (const [index, { meant }] of made.entries()) {
      if (meant.text !== null) continue;
      const { html } = await rig.api<{ html: string | null }>("GET", inbox(`/messages/${uids[index]}`));
      const frame = await fetch(`${rig.host.url}/mail/${rig.seed.mailboxId}/INBOX/${uids[index]}/body`, {
        headers: { Cookie: cookie },
      });
      for (const shown of [html ?? "", await frame.text()])
        if (!DomUtils.textContent(parseDocument(shown)).includes(meant.sample)) missing.push(index);
    }
    expect(missing).toEqual([]);
  }, 300_000);
});
