import * as z from "zod";
import { bounds, isCount, isSpan } from "./rules.ts";
import { ReportError, type TlsReport } from "./types.ts";

const text = z.string().max(bounds.valueCharacters);
const count = z.number().refine(isCount);
const time = z.iso.datetime({ offset: true }).transform((at) => Date.parse(at));

/** The members of a report (RFC 8460 4.4) that are used. Others are ignored. */
const Report = z.object({
  "organization-name": text.min(1),
  "date-range": z.object({ "start-datetime": time, "end-datetime": time }),
  "report-id": text.min(1),
  policies: z
    .array(
      z.object({
        policy: z.object({ "policy-type": text, "policy-domain": text.min(1) }),
        summary: z.object({ "total-successful-session-count": count, "total-failure-session-count": count }),
        "failure-details": z
          .array(
            z.object({
              "result-type": text.min(1),
              "receiving-mx-hostname": text.nullish(),
              "failed-session-count": count,
            }),
          )
          .max(bounds.failures)
          .nullish(),
      }),
    )
    .max(bounds.policies),
});

/** Parses a TLS report (RFC 8460 4.4). Throws ReportError when it is no such JSON, or beyond a bound. */
export function parseTlsReport(json: string): TlsReport {
  const parsed = Report.safeParse(parseJson(json));
  if (!parsed.success) throw new ReportError(`this is no TLS report: ${parsed.error.issues[0]?.path.join(".")}`);
  const { "organization-name": organization, "report-id": reportId, "date-range": range, policies } = parsed.data;
  const [from, to] = [range["start-datetime"], range["end-datetime"]];
  if (!isSpan(from, to)) throw new ReportError("the time of the report cannot be true");
  return {
    kind: "tls",
    organization,
    reportId,
    from,
    to,
    policies: policies.map(({ policy, summary, "failure-details": details }) => ({
      domain: policy["policy-domain"].toLowerCase().replace(/\.$/, ""),
      type: policy["policy-type"].toLowerCase(),
      sessions: summary["total-successful-session-count"] + summary["total-failure-session-count"],
      failures: failuresOf(summary["total-failure-session-count"], details ?? []),
    })),
  };
}

type Detail = NonNullable<z.output<typeof Report>["policies"][number]["failure-details"]>[number];

/** Returns the failures by type and server. Those that no detail names are of the type `unknown`; details beyond the total do not count. */
function failuresOf(total: number, details: readonly Detail[]) {
  let left = total;
  const failures = details.flatMap((detail) => {
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
