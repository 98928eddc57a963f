export { parseDmarcReport } from "./parse-dmarc.ts";
export { parseTlsReport } from "./parse-tls.ts";
export { readAggregateReport } from "./read.ts";
export { bounds as reportBounds } from "./rules.ts";
export { type AggregateReport, ReportError } from "./types.ts";
