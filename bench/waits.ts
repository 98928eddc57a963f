/**
 * Measures how long another tenant waits while one tenant imports or exports as much as the limits allow. It calls a small
 * authenticated endpoint again and again, and the longest response counts. All runs in one isolate, as on Cloudflare when two
 * tenants share one.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { ZipWriter } from "../src/lib/zip/writer.ts";
import { bombMessages } from "../test/support/bomb-messages.ts";
import { measureAttacks } from "./attacks.ts";
import { type Bench, Deployment } from "./deployment.ts";
import { measureEgressAttacks } from "./egress-attacks.ts";
import { importArchive } from "./import-archive.ts";
import type { Row } from "./table.ts";

const BUDGET_MS = 300;
/** Time between two calls of the other tenant, in ms. */
const PAUSE_MS = 5;
const MAILS = 3_000;
const ROWS = 100_000;
/** Bytes of a row, so that ROWS take 24 MiB. */
const ROW_BYTES = 251;
const MEBIBYTE = 1024 * 1024;

/** Work of one tenant while another one waits. */
interface Case {
  what: string;
  run: (of: Deployment) => Promise<unknown>;
}

export async function measureWaits({ sink }: Bench): Promise<Row[]> {
  const host = await Deployment.start(sink.url, { LIVE_WEBHOOKS: "on", WEBHOOK_ALLOW_INSECURE: "on" });
  try {
    const [busy, other] = [await host.withFreshWorkspace(1), await host.withFreshWorkspace(2)];
    const rows: Row[] = [await measure(other, busy, { what: "nothing", run: () => sleep(2_000) })];
    for (const one of await casesOf(busy)) rows.push(await measure(other, busy, one));
    const attacked = [await host.withFreshWorkspace(3), await host.withFreshWorkspace(4)] as const;
    rows.push(...(await measureAttacks(...attacked, sink)));
    return [...rows, ...(await measureEgressAttacks())];
  } finally {
    await host.stop();
  }
}

async function casesOf(of: Deployment): Promise<Case[]> {
  const mails = Array.from({ length: MAILS }, (_, n) => mail(n, 2_000));
  const large = Array.from({ length: 4 }, (_, n) => mail(n, 24 * MEBIBYTE));
  const list = (await (await of.call("POST", "/v1/contacts/", { name: "Waits" })).json()) as { id: string };
  const bombs = bombMessages.map(({ make }) => Buffer.from(make(4 * MEBIBYTE)));
  const exported = (format: string) => (busy: Deployment) =>
    drain(busy, `/v1/inbox/${busy.seed.mailboxId}/export?format=${format}`);
  return [
    { what: "import of 3,000 mails of 2 KB as mbox", run: importOf("mbox", toMbox(mails)) },
    { what: "import of 3,000 mails of 2 KB as ZIP", run: importOf("zip", toZip(mails)) },
    { what: "import of 4 mails of 24 MiB as mbox", run: importOf("mbox", toMbox(large)) },
    { what: "import of 4 mails of 24 MiB as ZIP", run: importOf("zip", toZip(large)) },
    { what: `import of ${bombs.length} hostile mails of 4 MiB as ZIP`, run: importOf("zip", toZip(bombs)) },
    { what: "export of these mails as mbox", run: exported("mbox") },
    { what: "export of these mails as ZIP", run: exported("zip") },
    { what: "import of 100,000 contacts, 24 MiB of CSV", run: (busy) => upload(busy, list.id, csv()) },
    { what: "the same again, all of them known", run: (busy) => upload(busy, list.id, csv()) },
    { what: "export of 100,000 contacts", run: (busy) => drain(busy, `/v1/contacts/${list.id}/export`) },
  ];
}

/** Returns the row of the longest wait of `other` while `busy` does the work. */
async function measure(other: Deployment, busy: Deployment, { what, run }: Case): Promise<Row> {
  const waits: number[] = [];
  let isOver = false;
  const asked = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await other.call("GET", "/v1/contacts/")).arrayBuffer();
      waits.push(performance.now() - startedAt);
      await sleep(PAUSE_MS);
    }
  })();
  await sleep(200);
  const startedAt = performance.now();
  await run(busy);
  const seconds = (performance.now() - startedAt) / 1_000;
  isOver = true;
  await asked;
  const longest = Math.max(...waits);
  return {
    what: `longest wait of another tenant: ${what}`,
    value: `${longest.toFixed(0)} ms of ${seconds.toFixed(1)} s, ${waits.length} calls`,
    budget: `${BUDGET_MS} ms`,
    isMet: longest < BUDGET_MS,
  };
}

function mail(number: number, bytes: number): Buffer {
  const header = `From: Person ${number % 50} <p${number % 50}@example.org>\r\nTo: a@b.example\r\nSubject: Message ${number}\r\n`;
  const date = new Date(1_790_000_000_000 + number * 1_000).toUTCString();
  const head = `${header}Date: ${date}\r\nMessage-ID: <${number}.${bytes}@example.org>\r\n`;
  if (bytes <= MEBIBYTE) return Buffer.from(`${head}\r\n${"It has some lines of words.\r\n".repeat(bytes / 29)}`);
  const part = "--x\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n";
  const file = `${"QUJD".repeat(19)}\r\n`.repeat(bytes / 78);
  return Buffer.from(`${head}Content-Type: multipart/mixed; boundary=x\r\n\r\n${part}${file}--x--\r\n`);
}

const toMbox = (mails: readonly Buffer[]) =>
  Buffer.concat(
    mails.flatMap((one) => [Buffer.from("From a@b Sat Nov 21 14:12:48 2026\r\n"), one, Buffer.from("\r\n")]),
  );

function toZip(mails: readonly Buffer[]): Buffer {
  const zip = new ZipWriter();
  const pieces = mails.flatMap((data, n) => [
    zip.header({ name: `Zip/${n}.eml`, size: data.length, crc: crc32(data), modifiedAt: 0 }),
    data,
  ]);
  return Buffer.concat([...pieces, ...zip.end()]);
}

/** Returns the import of an archive, which ends when all of its messages are there. */
function importOf(format: "mbox" | "zip", archive: Buffer): Case["run"] {
  return (of) => importArchive(of, archive, { format, folder: crypto.randomUUID() });
}

/** Returns a CSV file of ROWS rows and 24 MiB. */
function csv(): string {
  const lines = Array.from({ length: ROWS }, (_, i) => `user${i}@example.org,"Person ${i}, Esq.",London,`);
  return `email,name,city,note\n${lines.map((line) => line.padEnd(ROW_BYTES - 1, "n")).join("\n")}\n`;
}

async function upload(of: Deployment, listId: string, file: string): Promise<void> {
  const form = new FormData();
  form.set("file", new File([file], "a.csv"));
  const response = await fetch(`${of.host.url}/v1/contacts/${listId}/upload`, {
    method: "POST",
    headers: { Authorization: `Bearer ${of.seed.apiKey}` },
    body: form,
  });
  if (!response.ok) throw new Error(`upload: ${response.status} ${await response.text()}`);
}

/** Reads a response without keeping it. */
async function drain(of: Deployment, path: string): Promise<void> {
  for await (const _ of (await of.call("GET", path)).body ?? []);
}
