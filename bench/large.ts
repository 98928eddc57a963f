/** Measures the time to accept 24 MiB, and workerd's peak memory above a route that only puts the same bytes into R2. */

import type { Bench } from "./deployment.ts";
import { measurePeakMemory } from "./memory.ts";
import type { Row } from "./table.ts";

const BYTES = 24 * 1024 * 1024;
const BUDGET_MB = 60;

export async function measureLargeMail({ sink }: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const atOnce of [1, 2, 8]) {
    const put = await measurePeakMemory(sink.url, atOnce, (deployment) => deployment.control("put", { bytes: BYTES }));
    const content_base64 = Buffer.alloc(BYTES, 0x5a).toString("base64");
    const attachments = [{ filename: "large.bin", content_base64 }];
    let body = "";
    const accept = await measurePeakMemory(sink.url, atOnce, (deployment) => {
      body ||= JSON.stringify({ ...deployment.mail("small"), attachments });
      return deployment.call("POST", "/v1/emails/", body);
    });
    const difference = accept.megabytes - put.megabytes;
    rows.push({
      what: `accepting 24 MiB${atOnce === 1 ? "" : `, ${atOnce} at a time`}: peak memory over the same R2 puts`,
      value: `${difference.toFixed(0)} MB (${accept.megabytes.toFixed(0)} against ${put.megabytes.toFixed(0)}), ${accept.seconds.toFixed(2)} s`,
      budget: `${BUDGET_MB} MB`,
      isMet: difference <= BUDGET_MB,
    });
  }
  return rows;
}
