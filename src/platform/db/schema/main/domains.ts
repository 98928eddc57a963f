import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { workspaceNumber } from "./accounts.ts";

/** Policies for mail that fails DMARC (RFC 9989 4.7). */
export const dmarcPolicies = ["none", "quarantine", "reject"] as const;
export type DmarcPolicy = (typeof dmarcPolicies)[number];

export const domains = sqliteTable(
  "domains",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    name: text().notNull(),
    status: text({ enum: ["pending", "verified", "failed"] }).notNull(),
    ownershipToken: text("ownership_token").notNull(),
    createdAt: integer("created_at").notNull(),
    verifiedAt: integer("verified_at"),
    lastCheckedAt: integer("last_checked_at"),
    failedChecks: integer("failed_checks").notNull().default(0),
    reversedName: text("reversed_name").notNull().default(""),
    records: text({ mode: "json" }).$type<Record<string, RecordStatus>>().notNull().default({}),
    nextCheckAt: integer("next_check_at"),
    /** Name of the egress that its mail takes; null: none of its own. */
    egress: text(),
    /** Findings as src/domains/health/stored.ts reads them; null: not examined yet. */
    health: text(),
    /** Who publishes the values: the customer, or the service in a zone of the deployment. */
    setup: text({ enum: ["manual", "delegated"] })
      .notNull()
      .default("manual"),
    zone: text(),
    zoneToken: text("zone_token"),
    nextRotationAt: integer("next_rotation_at"),
    /** The DMARC policy that the service publishes for a delegated domain. */
    dmarcPolicy: text("dmarc_policy", { enum: dmarcPolicies }).notNull().default("none"),
    /** True: its owner says that mail for it shall be received here; false: elsewhere; null: not said. */
    receives: integer({ mode: "boolean" }),
    found: text({ mode: "json" }).$type<Record<string, string[]>>().notNull().default({}),
    /** A sub-domain of SANDBOX_DOMAIN (src/domains/domains/sandbox.ts). */
    isSandbox: integer("is_sandbox", { mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    index("domains_by_egress").on(t.name, t.id).where(sql`egress IS NOT NULL`),
    uniqueIndex("domains_by_name").on(t.workspace, t.name),
    uniqueIndex("domains_verified").on(t.reversedName).where(sql`status = 'verified'`),
    index("domains_by_reversed_name").on(t.workspace, t.reversedName),
    index("domains_to_rotate").on(t.nextRotationAt).where(sql`next_rotation_at IS NOT NULL`),
    index("domains_to_check").on(t.nextCheckAt).where(sql`status = 'verified'`),
  ],
);

/** Returns the column of a row that belongs to a domain, and is deleted with it. */
export const domainId = () =>
  text("domain_id")
    .notNull()
    .references(() => domains.id, { onDelete: "cascade" });

/** Result of the last DNS check of one record: not checked yet, as expected, no record, another value. */
export type RecordStatus = "pending" | "verified" | "missing" | "mismatch";

export const dkimKeys = sqliteTable(
  "dkim_keys",
  {
    id: text().primaryKey().notNull(),
    domainId: text("domain_id")
      .notNull()
      .references(() => domains.id),
    selector: text().notNull(),
    algorithm: text({ enum: ["rsa-sha256", "ed25519-sha256"] }).notNull(),
    publicKey: text("public_key").notNull(),
    privateKey: text("private_key").notNull(),
    createdAt: integer("created_at").notNull(),
    retiredAt: integer("retired_at"),
    activatedAt: integer("activated_at"),
    slot: integer(),
    publishedAt: integer("published_at"),
  },
  (t) => [
    index("dkim_keys_by_domain").on(t.domainId),
    index("dkim_keys_retired").on(t.retiredAt).where(sql`retired_at IS NOT NULL`),
  ],
);

export const customHosts = sqliteTable(
  "custom_hosts",
  {
    name: text().primaryKey().notNull(),
    purpose: text({ enum: ["link", "mta_sts"] }).notNull(),
    /** Null: the custom hostname is to be deleted. */
    domainId: text("domain_id"),
    workspace: integer().notNull(),
    /** Numbers of the workspaces that had the domain before, each with the time until which it did. */
    pastOwners: text("past_owners", { mode: "json" })
      .$type<[workspace: number, until: number][]>()
      .notNull()
      .default([]),
    status: text({ enum: ["pending", "active", "failed", "removing"] }).notNull(),
    problem: text(),
    hostnameId: text("hostname_id"),
    createdAt: integer("created_at").notNull(),
    activeAt: integer("active_at"),
    nextCheckAt: integer("next_check_at").notNull(),
    /** Mode of the MTA-STS policy at the host; null: a host of links. */
    policyMode: text("policy_mode", { enum: ["testing", "enforce", "none"] }),
    policySince: integer("policy_since"),
    /** 1: an owner chose testing. */
    policyIsHeld: integer("policy_is_held").notNull().default(0),
    /** Until when a sender may keep a policy that enforces, in ms since 1970. */
    policyKeptUntil: integer("policy_kept_until"),
    policyDueAt: integer("policy_due_at"),
    policyBlocker: text("policy_blocker"),
  },
  (t) => [
    index("custom_hosts_to_check").on(t.nextCheckAt),
    index("custom_hosts_by_domain").on(t.domainId).where(sql`domain_id IS NOT NULL`),
    index("custom_hosts_by_workspace").on(t.workspace),
    index("custom_hosts_policy_due").on(t.policyDueAt).where(sql`policy_due_at IS NOT NULL`),
  ],
);

/** The records that the zones of the deployment are to have (src/domains/zones). */
export const zoneRecords = sqliteTable(
  "zone_records",
  {
    name: text().notNull(),
    type: text({ enum: ["TXT", "MX", "CNAME", "A", "AAAA"] }).notNull(),
    zone: text().notNull(),
    value: text().notNull(),
    priority: integer(),
    isProxied: integer("is_proxied").$type<0 | 1>().notNull().default(0),
    domainId: text("domain_id"),
    keyId: text("key_id"),
    isRemoved: integer("is_removed").$type<0 | 1>().notNull().default(0),
    removeAt: integer("remove_at"),
    writtenAt: integer("written_at"),
    confirmedAt: integer("confirmed_at"),
    dueAt: integer("due_at"),
    attempts: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.name, t.type] }),
    index("zone_records_due").on(t.dueAt).where(sql`due_at IS NOT NULL`),
    index("zone_records_by_domain").on(t.domainId).where(sql`domain_id IS NOT NULL`),
  ],
);

export const zones = sqliteTable("zones", {
  name: text().primaryKey().notNull(),
  records: integer().notNull().default(0),
  fullAt: integer("full_at"),
});
