import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { dmarcPolicies } from "../../platform/db/schema/main/domains.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { toHost, toPolicy } from "../hosts/index.ts";
import { recordPurposes } from "./expected-record.ts";
import type { DomainWithKeys } from "./queries.ts";
import { adviceOn } from "./record-advice.ts";
import { expectedRecords } from "./records.ts";
import { dkimState, healthOf, healthWords, MAX_BLOCKERS } from "./rules.ts";

const Setup = z.enum(["manual", "delegated"]);
const Policy = z.enum(dmarcPolicies);
const Receives = z
  .boolean()
  .nullable()
  .describe(
    "Whether mail for the domain shall be received here; null: not said. The page and the zone file have the MX record only when it is " +
      "true, and `records` unless it is false.",
  );

export const DomainPatch = z
  .strictObject({
    setup: Setup.optional().describe("The old DKIM keys sign until a check has found the records of the new set-up."),
    dmarc_policy: Policy.optional().describe(
      "For delegated domains: what receivers are asked to do with mail that is not aligned. `none`: deliver it and report.",
    ),
    receives: Receives.optional(),
    mta_sts: z
      .enum(["testing", "enforce"])
      .optional()
      .describe("Mode of the MTA-STS policy. With `testing` the service no longer enforces it by itself."),
  })
  .refine((patch) => Object.keys(patch).length > 0, "at least one field is required")
  .meta(named("DomainUpdate", { setup: "delegated" }));
export type DomainPatch = z.output<typeof DomainPatch>;

export const DomainIn = z
  .object({
    name: z.string().max(1000).meta({
      minLength: 3,
      pattern: "\\.",
      description: "A domain name, in Unicode or in A-label form; at most 220 characters in A-label form.",
    }),
    setup: Setup.default("manual").describe(
      "`manual`: you publish the values, and publish new ones when DKIM keys rotate. `delegated`: you publish CNAMEs once; " +
        "the service publishes the values and rotates its keys. 422 where the service offers no delegated set-up.",
    ),
  })
  .meta(named("DomainCreate", { name: "shop.example.net" }));
export type DomainIn = z.output<typeof DomainIn>;

const RecordOut = z
  .object({
    purpose: z.enum(recordPurposes),
    explanation: z.string().describe("What the record is for, in one sentence."),
    type: z.enum(["TXT", "CNAME", "MX", "SRV"]),
    name: z.string(),
    value: z
      .string()
      .describe(
        "A TXT value as one string; in DNS it is split into strings of at most 255 bytes. An SRV value is weight, port and target.",
      ),
    priority: z.int().nullable(),
    status: z
      .enum(["pending", "verified", "missing", "mismatch"])
      .describe(
        "Result of the last check. `pending`: not checked yet; `missing`: no such record; `mismatch`: another value.",
      ),
    required: z.boolean().describe("Whether verification requires this record; the other records are recommended."),
    found: z
      .array(z.string())
      .nullable()
      .describe(
        "What the last check found in place of the record, at most 5 values of 500 characters. Null when it found nothing else.",
      ),
    action: z.string().nullable().describe("What to change, in one sentence. Null: nothing."),
  })
  .meta({ ref: "DomainRecord" });

const HostOut = z
  .object({
    name: z.string(),
    status: z
      .enum(["pending", "active", "failed"])
      .describe(
        "`pending`: its CNAME is not found yet, or its certificate is being issued; `active`: in new emails; `failed`: see detail.",
      ),
    detail: z.string().nullable().describe("Why it is not active and what to do, in a sentence."),
  })
  .meta({ ref: "DomainHost" });

const PolicyOut = z
  .object({
    mode: z
      .enum(["testing", "enforce", "none"])
      .describe(
        "`testing`: other mail systems report failures of TLS and deliver all the same; `enforce`: they do not deliver; `none`: " +
          "the MX records no longer lead here, and they are told to forget the policy.",
      ),
    since: timestamp.nullable().describe("When this mode began."),
    enforces_from: timestamp
      .nullable()
      .describe("When the service enforces the policy by itself at the earliest. Null: it does not."),
    detail: z.string().describe("What the mode means, or what must happen until it is enforced, in a sentence."),
  })
  .meta({ ref: "DomainPolicy" });

export const DomainOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(["pending", "verified", "failed"]),
    setup: Setup.describe("Who publishes the values: you, or the service behind your CNAMEs."),
    dmarc_policy: Policy.nullable().describe(
      "The policy that the service publishes behind the CNAME `_dmarc`; a record of your own in its place applies instead. Null " +
        "for a domain that is not delegated: its record is your own.",
    ),
    receives: Receives,
    sandbox: z.boolean().describe("Whether it is the test domain of the workspace, which sends to its members only."),
    records: z.array(RecordOut),
    dkim_selector: z
      .string()
      .nullable()
      .describe("Selector of the active RSA key, or of the pending one before the first verification."),
    health: z
      .enum(healthWords)
      .describe("The worst of what is wrong with the domain, as `/health` lists it; `unknown`: not examined yet."),
    link_host: HostOut.nullable().describe(
      "Host of the pixel, the links and the unsubscribe links of its emails; null when the deployment offers none. Until it is " +
        "active, and whenever it fails, they have the host of the service.",
    ),
    mta_sts: PolicyOut.nullable().describe(
      "The MTA-STS policy that is served for the domain (RFC 8461); null until its records are found.",
    ),
    created_at: timestamp,
    verified_at: timestamp.nullable(),
    last_checked_at: timestamp.nullable(),
  })
  .meta(
    named("Domain", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      name: "shop.example.net",
      status: "pending",
      setup: "manual",
      dmarc_policy: null,
      receives: null,
      sandbox: false,
      records: [
        {
          purpose: "ownership",
          explanation: "Proves that the domain is yours.",
          type: "TXT",
          name: "_svc-challenge.shop.example.net",
          value: "svc-domain-verification=47ba00fc506fe87470c853932cd4613125d510b9",
          priority: null,
          status: "pending",
          required: true,
          found: null,
          action: "Publish this record, then check again.",
        },
      ],
      dkim_selector: "svc-r-b2c4fd32",
      health: "unknown",
      link_host: null,
      mta_sts: null,
      created_at: "2026-11-21T14:00:00.000Z",
      verified_at: null,
      last_checked_at: null,
    }),
  );
export type DomainOut = z.output<typeof DomainOut>;

/** The body of the 409 of a domain that is not deleted because it has mailboxes. */
export const DomainProblem = z
  .object({
    detail: z.string(),
    blockers: z
      .array(z.object({ kind: z.string(), id: z.string(), label: z.string() }))
      .optional()
      .describe(`The mailboxes of the domain, at most ${MAX_BLOCKERS}.`),
  })
  .meta({ ref: "DomainProblem" });

/** Serializes a domain with its DNS records. */
export function toDomain(settings: Settings, { domain, keys, hosts }: DomainWithKeys): DomainOut {
  const rsa = keys.filter((key) => key.algorithm === "rsa-sha256" && key.retiredAt === null);
  const first = domain.setup === "delegated" ? rsa.find(({ slot }) => slot === 1) : rsa.at(-1);
  const shown = rsa.find((key) => dkimState(key) === "active") ?? first;
  // The service publishes those of a test domain.
  const records = domain.isSandbox ? [] : expectedRecords(settings, domain, keys, hosts);
  return serialize(DomainOut, {
    ...domain,
    dmarcPolicy: domain.setup === "delegated" ? domain.dmarcPolicy : null,
    sandbox: domain.isSandbox,
    records: records.map(({ key, leadsTo: _, policy, ...record }) => {
      const status = domain.records[key] ?? "pending";
      const others = status === "missing" || status === "mismatch" ? domain.found[key] : undefined;
      const found = others && others.length > 0 ? others : null;
      return { ...record, status, found, ...adviceOn({ ...record, policy }, status, found) };
    }),
    dkimSelector: shown?.selector ?? null,
    health: healthOf(domain.health),
    linkHost: toHost(settings, domain.name, "link", hosts),
    mtaSts: toPolicy(hosts),
  });
}
