import { apiRoutes } from "../../http/api-routes.ts";
import { getReports } from "./get.ts";
import { ReportsOut, ReportsQuery } from "./schema.ts";

export const domainReportRoutes = apiRoutes("Domains").get(
  "/v1/domains/:domain_id/reports",
  "getDomainReports",
  "domains:view",
  {
    summary: "Get what receivers report about a domain",
    description:
      "Receivers send DMARC reports to the address in the recommended DMARC record, and TLS reports to that of `_smtp._tls`. " +
      "A report counts once, and only when DMARC passes for the message that brings it.",
    query: ReportsQuery,
    returns: { 200: ["The sums of the reports", ReportsOut] },
    run: (caller, { domain_id, query }) => getReports(caller, domain_id, query),
  },
);
