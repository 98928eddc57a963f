import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
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
