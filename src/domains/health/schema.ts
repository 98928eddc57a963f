import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { type DomainRow, healthOf, healthWords } from "../domains/index.ts";
import { type FindingCode, findingCodes } from "./codes.ts";
import { openFindings } from "./stored.ts";

const codes = Object.keys(findingCodes) as [FindingCode, ...FindingCode[]];

const FindingOut = z
  .object({
    code: z.enum(codes).describe("Names the kind of finding; never changes."),
    subject: z
      .string()
      .nullable()
      .describe("The selector, host or sender that it is about, when there can be several."),
    severity: z.enum(["error", "warning"]).describe("`error`: mail is refused or lost, or soon will be."),
    problem: z.string().describe("What is wrong, in a sentence."),
    action: z.string().describe("What to do about it."),
    evidence: z.array(z.string()).describe("What was seen: values in DNS, counts, replies. At most 8."),
    since: timestamp.describe("When it was found first."),
  })
  .meta({ ref: "DomainFinding" });

export const HealthOut = z
  .object({
    status: z.enum(healthWords).describe("The worst finding; `unknown` before the first evaluation."),
    checked_at: timestamp.nullable().describe("When the records were checked last."),
    findings: z.array(FindingOut).describe("Errors first; at most 40."),
  })
  .meta(
    named("DomainHealth", {
      status: "warning",
      checked_at: "2026-11-21T14:00:00.000Z",
      findings: [
        {
          code: "spf_without_service",
          subject: null,
          severity: "warning",
          problem: "The SPF record of shop.example.net does not permit this service to send.",
          action:
            'Add include:spf.mail.test to the record: "v=spf1 include:spf.mail.test include:_spf.example.com ~all".',
          evidence: ["shop.example.net: v=spf1 include:_spf.example.com ~all"],
          since: "2026-11-20T14:00:00.000Z",
        },
      ],
    }),
  );
export type HealthOut = z.output<typeof HealthOut>;

/** Serializes the findings of a domain that are there now. */
export function toHealth({ health, lastCheckedAt }: Pick<DomainRow, "health" | "lastCheckedAt">): HealthOut {
  return {
    status: healthOf(health),
    checked_at: isoOrNull(lastCheckedAt),
    findings: openFindings(health).map((one) =>
      serialize(FindingOut, { ...one, subject: one.subject || null, since: iso(one.beganAt) }),
    ),
  };
}
