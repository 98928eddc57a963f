/** Counts the binding calls between a request and its response, in their order. The counts are the same on every machine. */

import { type BindingCall, formatCalls, splitAtResponse, toHops } from "../test/support/trace.ts";
import type { Bench } from "./deployment.ts";
import type { Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const BATCH = 500;
/** Claim with its emails, what decides about them, and outcomes. */
const RUN_D1_CALLS = 3;

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
  for (const emails of [1, 2]) rows.push(await measureRun(deployment, emails));
  return rows;
}

/** Traces the run that delivers these many emails, which are due at once. */
async function measureRun(deployment: Bench["deployment"], emails: number): Promise<Row> {
  await deployment.control("pause-queue");
  for (let n = 0; n < emails; n++) await deployment.call("POST", "/v1/emails/", deployment.mail("small"));
  await deployment.readings();
  // First, since a message of the queue may come as soon as it is resumed.
  await deployment.control("trace-run");
  await deployment.control("resume-queue");
  await deployment.control("sweep");
  await deployment.waitUntilDrained();
  let run = await deployment.traced();
  while (run.calls.length === 0) run = await deployment.traced();
  const { before, after } = splitAtResponse(run);
  const { rowsRead, rowsWritten } = await deployment.readings();
  const d1Calls = before.filter(({ kind }) => kind === "D1").length;
  return {
    what: `D1 calls of the run that delivers ${emails === 1 ? "a lone email" : `${emails} emails`}`,
    value: `${d1Calls}, ${toHops(before).length} hops: ${formatCalls(before)}${formatLater(after)} (${rowsRead} rows read, ${rowsWritten} written)`,
    budget: String(RUN_D1_CALLS),
    isMet: d1Calls <= RUN_D1_CALLS,
  };
}

async function measureRequest(deployment: Bench["deployment"], request: MeasuredRequest): Promise<Row> {
  const { what, d1Calls, method, path, body, headers } = request;
  await deployment.readings();
  const { before, after } = splitAtResponse(await deployment.trace(method, path, body, headers));
  const { rowsRead } = await deployment.readings();
  const measured = before.filter(({ kind }) => kind === "D1").length;
  // The rate-limit binding counts on the machine that runs the Worker, without a network request.
  const hops = toHops(before.filter(({ kind }) => kind !== "rate limit")).length;
  return {
    what: `D1 calls before the response: ${what}`,
    value: `${measured}, ${hops} hops: ${formatCalls(before)}${formatLater(after)} (${rowsRead} rows read)`,
    budget: String(d1Calls),
    isMet: measured <= d1Calls,
  };
}

const formatLater = (calls: readonly BindingCall[]) =>
  calls.length > 0 ? `; after the response: ${formatCalls(calls)}` : "";
