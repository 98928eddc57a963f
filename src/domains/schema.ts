import { z } from "zod";
import { iso, isoOrNull } from "../lib/time.ts";
import type { Settings } from "../settings.ts";
import type { DomainWithKeys } from "./queries.ts";
import { expectedRecords } from "./records.ts";
import { dkimState } from "./rules.ts";

export const DomainIn = z
  .object({ name: z.string().max(1000).describe("A domain name, in Unicode or in A-label form.") })
  .meta({ ref: "DomainCreate" });
export type DomainIn = z.output<typeof DomainIn>;

const timestamp = z.string().meta({ format: "date-time" });

const RecordOut = z
  .object({
    purpose: z.enum(["ownership", "dkim", "spf", "return_path", "dmarc", "mx"]),
    type: z.enum(["TXT", "CNAME", "MX"]),
    name: z.string(),
    value: z.string().describe("A TXT value in one piece; DNS cuts it into strings of 255 octets."),
    priority: z.int().nullable(),
    status: z
      .enum(["pending", "verified", "missing", "mismatch"])
      .describe("At the last look: not looked yet, as it should be, nothing there, something else there."),
    required: z.boolean().describe("The domain is not verified without it; the others are advice."),
  })
  .meta({ ref: "DomainRecord" });

export const DomainOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(["pending", "verified", "failed"]),
    records: z.array(RecordOut),
    dkim_selector: z.string().nullable().describe("Selector of the RSA key that signs, or is to."),
    created_at: timestamp,
    verified_at: timestamp.nullable(),
    last_checked_at: timestamp.nullable(),
  })
  .meta({ ref: "Domain" });
export type DomainOut = z.output<typeof DomainOut>;

/** A domain as the API shows it (decisions 5). */
export function toDomain(settings: Settings, { domain, keys }: DomainWithKeys): DomainOut {
  const rsa = keys.filter((key) => key.algorithm === "rsa-sha256" && key.retiredAt === null);
  const signing = rsa.find((key) => dkimState(key) === "active") ?? rsa.at(-1);
  return {
    id: domain.id,
    name: domain.name,
    status: domain.status,
    records: expectedRecords(settings, domain, keys).map(({ key, ...record }) => ({
      ...record,
      status: domain.records[key] ?? "pending",
    })),
    dkim_selector: signing?.selector ?? null,
    created_at: iso(domain.createdAt),
    verified_at: isoOrNull(domain.verifiedAt),
    last_checked_at: isoOrNull(domain.lastCheckedAt),
  };
}
