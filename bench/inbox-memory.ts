/**
 * Measures the memory of large messages: receiving, forwarding, opening and downloading one of 25 MiB, and export and import of a
 * mailbox with messages of 5 MiB. docs/performance.md says how to read the rows.
 */

import { type Bench, Deployment, GATEWAY_SECRET } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { importArchive } from "./import-archive.ts";
import { Isolate } from "./isolate.ts";
import { peakMegabytes } from "./memory.ts";
import type { Row } from "./table.ts";

const MEBIBYTE = 1024 * 1024;
const BUDGET_MB = 64;
/** Messages of the mailbox that is exported, and of an archive, which has at most 500 MB. */
const [EXPORTED, IMPORTED] = [200, 67];
/** UID of the message that `prepare` receives, after the small one. */
const UID = 2;
const END = "\0end";

/** Work on a host, with what must be there before. */
interface Work {
  prepare?: (of: Deployment) => Promise<unknown>;
  run: (of: Deployment) => Promise<unknown>;
}

export async function measureInboxMemory({ sink }: Bench): Promise<Row[]> {
  const large = message(25 * MEBIBYTE - 1_000);
  const put = await residentOf(sink.url, { run: (of) => putObject(of, large) });
  const get = await residentOf(sink.url, objectWork(large, 1));
  const row = (what: string, baseline: number, work: Work) => measure(sink.url, `25 MiB: ${what}`, baseline, work);
  const received = (run: Work["run"]): Work => ({ prepare: (of) => receive(of, large), run });
  const inbox = (path: string) => async (of: Deployment) =>
    drain(await of.call("GET", `/v1/inbox/${of.seed.mailboxId}/${path}`));
  return [
    await row("receiving a message", put, { run: (of) => receive(of, large) }),
    await row("forwarding it to an address", get, { prepare: (of) => forwarded(of, large), run: forward }),
    await row("opening it", get, received(inbox(`messages/${UID}`))),
    await row("downloading it", get, received(inbox(`messages/${UID}/raw`))),
    await row("downloading its attachment", get, received(inbox(`attachments/${UID}/2`))),
  ];
}

export async function measureArchiveMemory({ sink: { url: egressUrl } }: Bench): Promise<Row[]> {
  const one = message(5 * MEBIBYTE);
  const archive = Buffer.concat(
    Array.from({ length: IMPORTED }, (_, n) =>
      Buffer.concat([Buffer.from(`From a@b Sat\r\nMessage-ID: <${n}@example.org>\r\n`), one, Buffer.from("\r\n")]),
    ),
  );
  const split: Work = {
    run: async (of) => of.control("baseline-split", { key: await putObject(of, archive), bytes: one.length }),
  };
  const filled = async (of: Deployment) => {
    for (let n = 0; n < EXPORTED; n += IMPORTED) await importAll(of, archive);
  };
  const exported = (format: string): Work => ({
    prepare: filled,
    run: async (of) => drain(await of.call("GET", `/v1/inbox/${of.seed.mailboxId}/export?format=${format}`)),
  });
  const imports = await residentOf(egressUrl, split);
  const reads = await residentOf(egressUrl, objectWork(one, EXPORTED));
  const what = `messages of 5 MiB:`;
  return [
    await measure(egressUrl, `${what} import of ${IMPORTED}`, imports, { run: (of) => importAll(of, archive) }),
    await measure(egressUrl, `${what} export of ${EXPORTED} as a ZIP archive`, reads, exported("zip")),
    await measure(egressUrl, `${what} export of ${EXPORTED} as an mbox file`, reads, exported("mbox")),
  ];
}

/** Runs work three times on a host of its own: for the process, for the isolate, and for the isolate without its garbage. */
async function measure(egressUrl: string, what: string, baseline: number, { prepare, run }: Work): Promise<Row> {
  const of = await Deployment.start(egressUrl, undefined, true);
  const isolate = await Isolate.open(of.host.inspectorUrl);
  const { workerdPid } = of.host;
  try {
    await of.control("pause-queue");
    await receive(of, message(100));
    const idle = await isolate.liveMegabytes();
    await prepare?.(of);
    const before = await cpuMs(workerdPid);
    const { megabytes, seconds } = await peakMegabytes(workerdPid, () => run(of));
    const cpu = (await cpuMs(workerdPid)) - before;
    const most = (await isolate.peakMegabytes(false, () => run(of))) - idle;
    const live = (await isolate.peakMegabytes(true, () => run(of))) - idle;
    const over = megabytes - baseline;
    const value = `isolate ${live.toFixed(0)} MB, ${most.toFixed(0)} MB with garbage; process ${over.toFixed(0)} MB (${megabytes.toFixed(0)} against ${baseline.toFixed(0)}); ${cpu} ms of CPU, ${seconds.toFixed(1)} s`;
    const budget = `${BUDGET_MB} MB each`;
    return { what, value, budget, isMet: over <= BUDGET_MB && most <= BUDGET_MB };
  } finally {
    isolate.close();
    await of.stop();
  }
}

/** Returns the peak that work adds to the resident memory of a new process, in MB. */
export async function residentOf(egressUrl: string, { prepare, run }: Work): Promise<number> {
  const of = await Deployment.start(egressUrl, undefined, true);
  try {
    await receive(of, message(100));
    await prepare?.(of);
    return (await peakMegabytes(of.host.workerdPid, () => run(of))).megabytes;
  } finally {
    await of.stop();
  }
}

/** Returns a message of text and a file, of about `bytes` bytes. */
function message(bytes: number): Buffer {
  const line = `${"QUJD".repeat(19)}\r\n`;
  const header = `From: ada@example.org\r\nSubject: Large\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n`;
  const text = "--x\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n";
  const file = `--x\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  const start = `${header}${text}${file}`;
  const lines = Math.max(1, Math.floor((bytes - start.length) / line.length));
  return Buffer.from(`${start}${line.repeat(lines)}--x--\r\n`);
}

/** Passes a message to the Worker as the gateway does, with a Message-ID of its own. */
async function receive(of: Deployment, raw: Buffer): Promise<void> {
  const envelope = Buffer.from(JSON.stringify({ from: "ada@example.org", to: [of.seed.mailbox] }));
  const id = `Message-ID: <${crypto.randomUUID()}@example.org>\r\n`;
  const response = await fetch(`${of.host.url}/gateway/mail`, {
    method: "POST",
    headers: { Authorization: `Bearer ${GATEWAY_SECRET}`, "X-Envelope": envelope.toString("base64") },
    body: Buffer.concat([Buffer.from(id), raw, Buffer.from(END)]) as BodyInit,
  });
  const { reply } = (await response.json()) as { reply: string | null };
  if (!response.ok || reply !== null) throw new Error(`the message was refused: ${response.status} ${reply}`);
}

const ADD_RULE = `
  INSERT INTO forwarding_rules (id, workspace, domain_id, mailbox_id, match, action, target, target_key, is_active, position, created_at, updated_at)
  SELECT 'bench', workspace, domain_id, id, '{"all":true}', 'address', address, address, 1, 1, 0, 0 FROM mailboxes WHERE id = ?1`;

/** Receives a message that a rule forwards, three times: the runs make one forward each. */
async function forwarded(of: Deployment, raw: Buffer): Promise<void> {
  await of.host.env.DB.prepare(ADD_RULE).bind(of.seed.mailboxId).run();
  for (let n = 0; n < 3; n++) await receive(of, raw);
}

async function forward(of: Deployment): Promise<void> {
  const { forwards } = (await (await of.control("forward")).json()) as { forwards: number };
  if (forwards !== 1) throw new Error(`${forwards} forwards were made`);
}

/** Returns the key of a new object. */
export async function putObject(of: Deployment, content: Buffer): Promise<string> {
  const response = await fetch(`${of.host.url}/bench/baseline-put`, { method: "POST", body: content as BodyInit });
  return ((await response.json()) as { key: string }).key;
}

/** Reads an object a number of times. */
function objectWork(content: Buffer, times: number): Work {
  let key = "";
  return {
    prepare: async (of) => {
      key = await putObject(of, content);
    },
    run: async (of) => drain(await of.control("baseline-get", { key, times })),
  };
}

async function importAll(of: Deployment, archive: Buffer): Promise<void> {
  // A folder of its own, so that no message is a duplicate.
  const imported = await importArchive(of, archive, { folder: crypto.randomUUID() });
  if (imported !== IMPORTED) throw new Error(`${imported} of ${IMPORTED} messages were imported`);
}

/** Reads a response without keeping it. */
async function drain(response: Response): Promise<void> {
  for await (const _ of response.body ?? []);
}
