import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { readAggregateReport } from "../../../src/mail/aggregate-reports/read.ts";
import { EXAMPLE_NET } from "./samples.ts";

it("reads gzip with bytes behind it in a Worker", async () => {
  const file = Buffer.concat([gzipSync(EXAMPLE_NET), Buffer.from("-- end --")]);
  const raw = `Content-Type: application/gzip; name=a.gz\r\nContent-Transfer-Encoding: base64\r\n\r\n${file.toString("base64")}\r\n`;
  expect(await readAggregateReport(new TextEncoder().encode(raw))).toMatchObject({ kind: "dmarc", skipped: 0 });
});
