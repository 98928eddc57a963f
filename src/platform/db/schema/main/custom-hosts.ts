import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
