import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { query } from "../../http/validate.ts";
import { getReports } from "./get.ts";
import { ReportsOut, ReportsQuery } from "./schema.ts";

const operation = operationsOf("Domains");

export const domainReportRoutes = newRoutes().get(
  "/v1/domains/:domain_id/reports",
  operation("domains:view", "getDomainReports", {
    summary: "Get what receivers report about a domain",
    description:
      "Receivers send DMARC reports to the address in the recommended DMARC record, and TLS reports to that of `_smtp._tls`. " +
      "A report counts once, and only when DMARC passes for the message that brings it.",
    responses: responses(200, "The sums of the reports", ReportsOut, [403, 404]),
  }),
  query(ReportsQuery),
  async (c) => c.json(await getReports(c.get("caller"), c.req.param("domain_id"), c.req.valid("query"))),
);
