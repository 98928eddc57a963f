/** Peak memory of the largest and worst request bodies. */
import type { Bench, Deployment } from "./deployment.ts";
import { measurePeakMemory } from "./memory.ts";
import type { Row } from "./table.ts";

/** Limit for the resident memory that one request adds to workerd, which has its own copy of the request. */
const BUDGET_MB = 128;

type Body = [what: string, path: string, make: (deployment: Deployment) => string];

const mailOf = (deployment: Deployment, changes: object) => ({ ...deployment.mail("small"), ...changes });
const withExtra = (deployment: Deployment, extra: string) =>
  `${JSON.stringify(deployment.mail("small")).slice(0, -1)},"extra":${extra}}`;
const unique = (count: number, entry: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => entry(i)).join();

const bodies: readonly Body[] = [
  [
    "500 emails with 60 KB of html",
    "/v1/emails/batch",
    (deployment) => JSON.stringify(Array.from({ length: 500 }, () => mailOf(deployment, { html: "x".repeat(60_000) }))),
  ],
  [
    "7.8 MB of nested arrays",
    "/v1/emails/",
    (deployment) => withExtra(deployment, `${"[".repeat(3_900_000)}${"]".repeat(3_900_000)}`),
  ],
  [
    "249,000 empty arrays",
    "/v1/emails/validate",
    (deployment) => withExtra(deployment, `[${unique(248_000, () => "[]")}]`),
  ],
  [
    "124,000 objects of one unique key",
    "/v1/emails/validate",
    (deployment) => withExtra(deployment, `[${unique(124_000, (i) => `{"${i}x":1}`)}]`),
  ],
  [
    "an object of 248,000 keys",
    "/v1/emails/validate",
    (deployment) => withExtra(deployment, `{${unique(248_000, (i) => `"k${i}":1`)}}`),
  ],
  [
    "39 MB of strings of 4 KB",
    "/v1/emails/validate",
    (deployment) => withExtra(deployment, `[${unique(9_700, () => `"${"y".repeat(4_000)}"`)}]`),
  ],
  [
    "20 MB of strings outside ASCII",
    "/v1/emails/validate",
    (deployment) => withExtra(deployment, `[${unique(5_000, () => `"${"y".repeat(3_990)}é漢"`)}]`),
  ],
  [
    "39 MB of one unknown string",
    "/v1/emails/validate",
    (deployment) => withExtra(deployment, `"${"z".repeat(39_000_000)}"`),
  ],
];

/** Measures each body on a host of its own. */
export async function measureBodies({ sink }: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, path, make] of bodies) {
    let body = "";
    const statuses: number[] = [];
    const peak = await measurePeakMemory(sink.url, 1, async (deployment) => {
      body ||= make(deployment);
      try {
        const response = await deployment.call("POST", path, body);
        statuses.push(response.status);
        return response;
      } catch (error) {
        // `call` throws for a refusal, and some of these bodies must be refused.
        statuses.push(Number(/: (\d{3}) /.exec(String(error))?.[1]));
        return new Response(null);
      }
    });
    rows.push({
      what: `reading ${what} (${(body.length / 1_000_000).toFixed(1)} MB): peak memory`,
      value: `${peak.megabytes.toFixed(0)} MB, ${peak.seconds.toFixed(2)} s, status ${[...new Set(statuses)].join("/")}`,
      budget: `${BUDGET_MB} MB`,
      isMet: peak.megabytes <= BUDGET_MB,
    });
  }
  return rows;
}
