import * as z from "zod";
import { bounds, isCount, isSpan } from "./rules.ts";
import { ReportError, type TlsReport } from "./types.ts";

const text = z.string().max(bounds.valueCharacters);
const count = z.number().refine(isCount);
const time = z.iso.datetime({ offset: true }).transform((at) => Date.parse(at));

const Detail = z.object({
  "result-type": text.min(1),
  "receiving-mx-hostname": text.nullish(),
  "failed-session-count": count,
});

const Policy = z.object({
  policy: z.object({ "policy-type": text, "policy-domain": text.nullish() }),
  summary: z.object({ "total-successful-session-count": count, "total-failure-session-count": count }),
  "failure-details": z.array(Detail.nullable().catch(null)).max(bounds.failures).nullish(),
});

/** The members of a report (RFC 8460 4.4) that are used. Others are ignored, as are policies and failures that cannot be true. */
const Report = z.object({
  "organization-name": text.nullish(),
  "date-range": z.object({ "start-datetime": time, "end-datetime": time }),
  "report-id": text.min(1),
  policies: z.array(Policy.nullable().catch(null)).max(bounds.policies),
});

/** Parses a TLS report (RFC 8460 4.4). Throws ReportError when it is no such JSON, or beyond a bound. */
export function parseTlsReport(json: string): TlsReport {
  const parsed = Report.safeParse(parseJson(json));
  if (!parsed.success) throw new ReportError(`this is no TLS report: ${parsed.error.issues[0]?.path.join(".")}`);
  const { "organization-name": organization, "report-id": reportId, "date-range": range } = parsed.data;
  const policies = parsed.data.policies.filter((policy) => policy !== null);
  const [from, to] = [range["start-datetime"], range["end-datetime"]];
  if (!isSpan(from, to)) throw new ReportError("the time of the report cannot be true");
  return {
    kind: "tls",
    organization: organization ?? "",
    reportId,
    from,
    to,
    skipped: parsed.data.policies.length - policies.length,
    policies: policies.map(({ policy, summary, "failure-details": details }) => ({
      domain: (policy["policy-domain"] ?? "").toLowerCase().replace(/\.$/, ""),
      type: policy["policy-type"].toLowerCase(),
      sessions: summary["total-successful-session-count"] + summary["total-failure-session-count"],
      failures: failuresOf(summary["total-failure-session-count"], details ?? []),
    })),
  };
}

/** Returns the failures by type and server. Those that no detail names are of the type `unknown`; details beyond the total do not count. */
function failuresOf(total: number, details: readonly (z.output<typeof Detail> | null)[]) {
  let left = total;
  const failures = details.flatMap((detail) => {
    if (detail === null) return [];
    const sessions = Math.min(left, detail["failed-session-count"]);
    left -= sessions;
    const server = (detail["receiving-mx-hostname"] ?? "").toLowerCase();
    return sessions > 0 ? [{ type: detail["result-type"].toLowerCase(), server, sessions }] : [];
  });
  return left > 0 ? [...failures, { type: "unknown", server: "", sessions: left }] : failures;
}

/** Comma, `[` and `{`, also within texts: at least one stands before each value but the first. */
const MARKS = new Set([0x2c, 0x5b, 0x7b]);

function parseJson(json: string): unknown {
  let marks = 0;
  for (let at = 0; at < json.length; at++) if (MARKS.has(json.charCodeAt(at))) marks += 1;
  if (marks > bounds.jsonMarks) throw new ReportError("the report has too many values");
  try {
    return JSON.parse(json);
  } catch {
    throw new ReportError("this is no JSON");
  }
}
