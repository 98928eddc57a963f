/** Measures the inbox API in a mailbox of 10,000 messages and in one of 300: calls, rows read and time. */

import { splitAtResponse } from "../test/support/trace.ts";
import { type Bench, Deployment } from "./deployment.ts";
import { importArchive } from "./import-archive.ts";
import { median, type Row } from "./table.ts";

const SMALL = 300;
const LARGE = 10_000;
const CALLS = 15;
/** Index entries that the total of a search reads at most. */
const COUNTED = 10_000;

interface Measured {
  ms: number;
  rowsRead: number;
  /** Calls to the object of the mailbox, to D1 and to R2 before the response. */
  objectCalls: number;
  d1Calls: number;
  r2Calls: number;
}

export async function measureMailbox({ sink }: Bench): Promise<Row[]> {
  const host = await Deployment.start(sink.url);
  try {
    const [small, large] = [await host.withFreshWorkspace(1), await host.withFreshWorkspace(2)];
    const imports = [await fill(small, SMALL), await fill(large, LARGE)];
    await host.control("pause-queue");
    const compared = async (
      what: string,
      request: (of: Deployment, messages: number) => Request,
      maxRows = 0,
    ): Promise<Row> => {
      const [few, many] = [
        await measure(small, () => request(small, SMALL)),
        await measure(large, () => request(large, LARGE)),
      ];
      const rows = many.rowsRead / Math.max(1, few.rowsRead);
      const value = `${many.rowsRead} rows against ${few.rowsRead}, ${(many.ms / few.ms).toFixed(1)}x the time (${many.ms.toFixed(1)} ms); calls: ${many.objectCalls} to the mailbox, ${many.d1Calls} to D1, ${many.r2Calls} to R2`;
      const isMet = many.objectCalls === 1 && (rows <= 1.2 || many.rowsRead <= maxRows);
      const budget = `1 call, ${maxRows > 0 ? `${maxRows} rows` : "1.2x the rows"}`;
      return { what: `mailbox of 10,000 messages against 300: ${what}`, value, budget, isMet };
    };
    const inbox = (suffix: string) => (of: Deployment) => of.request("GET", `/v1/inbox/${of.seed.mailboxId}${suffix}`);
    let uid = 0;
    return [
      importRow(imports[1] ?? 0),
      await compared("list of 50", inbox("/messages")),
      await compared("list of 50 from the middle", (of, messages) => inbox(`/messages?before=${messages / 2}`)(of)),
      await compared("search for a word of every message", inbox("/search?q=common"), COUNTED + 200),
      await compared("search for a word of ten messages", inbox("/search?q=seldom")),
      await compared("search for an absent word in all folders", inbox("/search?q=absentia&folder=*")),
      await compared("open", inbox("/messages/100")),
      await compared("folders with their counts", inbox("/folders")),
      await compared("move", (of) => {
        uid += 1;
        return of.request("POST", `/v1/inbox/${of.seed.mailboxId}/messages/${uid}/move`, { folder: "Archive" });
      }),
      await exportRow(large),
    ];
  } finally {
    await host.stop();
  }
}

const importRow = (seconds: number): Row => ({
  what: "import of an mbox file of 10,000 messages",
  value: `${Math.round(LARGE / seconds)} messages a second`,
  budget: "",
  isMet: true,
});

async function exportRow(of: Deployment): Promise<Row> {
  const startedAt = performance.now();
  const archive = await of.call("GET", `/v1/inbox/${of.seed.mailboxId}/export?format=zip`);
  const bytes = (await archive.arrayBuffer()).byteLength;
  const rate = Math.round(LARGE / ((performance.now() - startedAt) / 1000));
  const value = `${rate} messages a second, ${(bytes / 1_000_000).toFixed(1)} MB`;
  return { what: "export of 10,000 messages as a ZIP archive", value, budget: "", isMet: true };
}

/** Imports messages into INBOX and returns the seconds that it took. */
async function fill(of: Deployment, count: number): Promise<number> {
  const messages = Array.from({ length: count }, (_, n) => {
    const seldom = n % (count / 10) === 0 ? "seldom" : "";
    const header = `From: Person ${n % 50} <p${n % 50}@example.org>\r\nTo: ${of.seed.mailbox}\r\nSubject: Message ${n} ${seldom}`;
    const date = new Date(1_790_000_000_000 + n * 1000).toUTCString();
    const text = `A common text of message ${n}.\r\n${"It has some lines of words.\r\n".repeat(20)}`;
    return `From a@b Sat Nov 21 14:12:48 2026\r\n${header}\r\nDate: ${date}\r\nMessage-ID: <${n}@example.org>\r\n\r\n${text}\r\n`;
  });
  const startedAt = performance.now();
  const imported = await importArchive(of, messages.join(""));
  if (imported !== count) throw new Error(`${imported} of ${count} messages were imported`);
  return (performance.now() - startedAt) / 1000;
}

async function measure(of: Deployment, request: () => Request): Promise<Measured> {
  const call = async (trace: boolean) => {
    const next = request();
    if (trace) next.headers.set("X-Bench-Trace", "1");
    const startedAt = performance.now();
    const response = await fetch(next);
    const text = await response.text();
    if (!response.ok) throw new Error(`${next.method} ${next.url}: ${response.status} ${text}`);
    return performance.now() - startedAt;
  };
  await call(false);
  await of.control("mailbox-rows");
  await call(true);
  const { rowsRead } = (await (await of.control("mailbox-rows")).json()) as { rowsRead: number };
  const traced = (await (await of.control("trace")).json()) as Awaited<ReturnType<Deployment["trace"]>>;
  const { before } = splitAtResponse(traced);
  const calls = (kind: string) => before.filter((one) => one.kind === kind).length;
  const times: number[] = [];
  for (let n = 0; n < CALLS; n++) times.push(await call(false));
  const [objectCalls, d1Calls, r2Calls] = [calls("Durable Object"), calls("D1"), calls("R2")];
  return { ms: median(times), rowsRead, objectCalls, d1Calls, r2Calls };
}
