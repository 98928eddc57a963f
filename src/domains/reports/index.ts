export { TLS_MEANINGS } from "./advice.ts";
export { type DmarcSummary, getDmarcSummary, getReportsOn } from "./get.ts";
export { nameSources } from "./name-sources.ts";
export { daysOf, ofDomain, sumDmarcReports, sumTlsReports } from "./queries.ts";
export { findReportTarget, REPORT_MAIL_BYTES, receiveDomainReport } from "./receive.ts";
export { type ReportsOut, ReportsQuery } from "./schema.ts";
