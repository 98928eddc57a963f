/** Measures the import and export of the largest CSV file: rows a second, D1 calls, rows written, peak memory. */
import type { Bench, Deployment } from "./deployment.ts";
import { measurePeakMemory } from "./memory.ts";
import type { Row } from "./table.ts";

const ROWS = 100_000;
/** Bytes of a row, so that ROWS take 24 MiB. */
const LARGE_ROW = 251;
const BUDGET_MB = 64;
const CALLS_PER_THOUSAND = 4;

export async function measureImports({ deployment, sink }: Bench): Promise<Row[]> {
  const listId = await createList(deployment);
  await deployment.readings();
  const seconds = await timed(() => upload(deployment, listId, csv(80, ROWS)));
  const imported = await deployment.readings();
  const exportSeconds = await timed(() => download(deployment, listId));
  const exported = await deployment.readings();
  const calls = (count: number) => (count * 1_000) / ROWS;
  return [
    {
      what: "import of 100,000 contacts: D1 calls for each thousand, rows written for each, speed",
      value: `${calls(imported.d1Calls).toFixed(1)} calls, ${(imported.rowsWritten / ROWS).toFixed(2)} rows, ${Math.round(ROWS / seconds)} rows/s`,
      budget: `${CALLS_PER_THOUSAND} calls`,
      isMet: calls(imported.d1Calls) <= CALLS_PER_THOUSAND,
    },
    {
      what: "export of 100,000 contacts: D1 calls for each thousand, speed",
      value: `${calls(exported.d1Calls).toFixed(1)} calls, ${Math.round(ROWS / exportSeconds)} rows/s`,
      budget: "",
      isMet: true,
    },
    ...(await importMemory(sink.url, "import of 24 MiB, 100,000 rows", LARGE_ROW, ROWS)),
    ...(await importMemory(sink.url, "the same after another import", LARGE_ROW, ROWS, 80)),
    ...(await importMemory(sink.url, "import of 24 MiB, 6,000 rows of 4 KB", 4_190, 6_000)),
    await exportMemory(sink.url),
  ];
}

/**
 * Returns two rows: the peak memory over idle, which includes the local D1 in the same process, and the peak over that of a
 * route that makes the same inserts. The budget is for the second. `warmUpBytes`: another import with such rows runs before.
 */
async function importMemory(
  egressUrl: string,
  what: string,
  bytes: number,
  rows: number,
  warmUpBytes?: number,
): Promise<Row[]> {
  const insertsOf =
    (size: number, count: number): Call =>
    (deployment) =>
      deployment.control("baseline-import", { rows: count, bytes: size });
  const warmUp = (call: typeof importRows) => (warmUpBytes === undefined ? undefined : call(warmUpBytes, ROWS));
  const inserts = await measurePeakMemory(egressUrl, 1, insertsOf(bytes, rows), warmUp(insertsOf));
  const all = await measurePeakMemory(egressUrl, 1, importRows(bytes, rows), warmUp(importRows));
  const over = all.megabytes - inserts.megabytes;
  return [
    {
      what: `${what}: peak memory over idle, with the local D1`,
      value: `${all.megabytes.toFixed(0)} MB, ${all.seconds.toFixed(1)} s`,
      budget: "",
      isMet: true,
    },
    {
      what: `${what}: peak memory over the same inserts`,
      value: `${over.toFixed(0)} MB (${all.megabytes.toFixed(0)} against ${inserts.megabytes.toFixed(0)})`,
      budget: `${BUDGET_MB} MB`,
      isMet: over <= BUDGET_MB,
    },
  ];
}

type Call = (deployment: Deployment) => Promise<Response>;

const importRows =
  (bytes: number, rows: number): Call =>
  async (deployment) =>
    upload(deployment, await createList(deployment), csv(bytes, rows));

const exportLast: Call = async (deployment) => {
  const lists = (await (await deployment.call("GET", "/v1/contacts/")).json()) as { id: string }[];
  return download(deployment, lists.at(-1)?.id ?? "");
};

async function exportMemory(egressUrl: string): Promise<Row> {
  const { megabytes, seconds } = await measurePeakMemory(egressUrl, 1, exportLast, importRows(LARGE_ROW, ROWS));
  return {
    what: "export of 24 MiB, 100,000 rows, after its import: peak memory over idle, with the local D1",
    value: `${megabytes.toFixed(0)} MB, ${seconds.toFixed(1)} s`,
    budget: `${BUDGET_MB} MB`,
    isMet: megabytes <= BUDGET_MB,
  };
}

/** Returns a CSV file of rows of about `bytes` bytes. */
function csv(bytes: number, rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => `user${i}@example.org,"Person ${i}, Esq.",London,`);
  return `email,name,city,note\n${lines.map((line) => line.padEnd(bytes - 1, "n")).join("\n")}\n`;
}

async function createList(deployment: Deployment): Promise<string> {
  const response = await deployment.call("POST", "/v1/contacts/", { name: "Bench" });
  return ((await response.json()) as { id: string }).id;
}

async function upload(deployment: Deployment, listId: string, file: string): Promise<Response> {
  const boundary = "bench-boundary";
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${file}\r\n--${boundary}--\r\n`;
  const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
  const response = await deployment.call("POST", `/v1/contacts/${listId}/upload`, part, headers);
  const { errors } = (await response.clone().json()) as { errors: string[] };
  if (errors.length > 0) throw new Error(errors[0]);
  return response;
}

async function download(deployment: Deployment, listId: string): Promise<Response> {
  const response = await deployment.call("GET", `/v1/contacts/${listId}/export`);
  await response.clone().arrayBuffer();
  return response;
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return (performance.now() - start) / 1000;
}
