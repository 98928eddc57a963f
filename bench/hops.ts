/** Counts the binding calls between a request and its response, in their order. The counts are the same on every machine. */
import type { Bench } from "./deployment.ts";
import type { Row } from "./table.ts";
import { textOfSize } from "./text.ts";
import { formatCalls, splitAtResponse, toHops } from "./trace.ts";

const BATCH = 500;

interface MeasuredRequest {
  what: string;
  /** D1 calls before the response, authentication included. */
  d1Calls: number;
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export async function measureHops({ deployment }: Bench): Promise<Row[]> {
  const first = await deployment.call("POST", "/v1/emails/", deployment.mail("first"));
  const { id } = (await first.json()) as { id: string };
  const send = { method: "POST", path: "/v1/emails/" };
  const batch = Array.from({ length: BATCH }, (_, index) => ({
    ...deployment.mail(textOfSize(1_000)),
    to: [{ email: `friend${index}@example.org` }],
  }));
  const requests: MeasuredRequest[] = [
    { what: "single send", d1Calls: 2, ...send, body: deployment.mail("small") },
    {
      what: "single send with an Idempotency-Key",
      d1Calls: 2,
      ...send,
      body: deployment.mail("small"),
      headers: { "Idempotency-Key": crypto.randomUUID() },
    },
    { what: "single send of 32 KB", d1Calls: 2, ...send, body: deployment.mail(textOfSize(32_000)) },
    { what: `batch of ${BATCH}`, d1Calls: 4, method: "POST", path: "/v1/emails/batch", body: batch },
    { what: "list of 20", d1Calls: 2, method: "GET", path: "/v1/emails/" },
    { what: "detail", d1Calls: 2, method: "GET", path: `/v1/emails/${id}` },
  ];
  // The rows that a delivery reads are not part of a request.
  await deployment.control("pause-queue");
  const rows: Row[] = [];
  for (const request of requests) rows.push(await measureRequest(deployment, request));
  await deployment.control("resume-queue");
  await deployment.control("sweep");
  await deployment.waitUntilDrained();
  return rows;
}

async function measureRequest(deployment: Bench["deployment"], request: MeasuredRequest): Promise<Row> {
  const { what, d1Calls, method, path, body, headers } = request;
  await deployment.readings();
  const { before, after } = splitAtResponse(await deployment.trace(method, path, body, headers));
  const { rowsRead } = await deployment.readings();
  const measured = before.filter(({ kind }) => kind === "D1").length;
  // The rate-limit binding counts on the machine that runs the Worker, without a network request.
  const hops = toHops(before.filter(({ kind }) => kind !== "rate limit")).length;
  const later = after.length > 0 ? `; after the response: ${formatCalls(after)}` : "";
  return {
    what: `D1 calls before the response: ${what}`,
    value: `${measured}, ${hops} hops: ${formatCalls(before)}${later} (${rowsRead} rows read)`,
    budget: String(d1Calls),
    isMet: measured <= d1Calls,
  };
}
