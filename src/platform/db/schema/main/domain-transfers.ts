import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const domainTransfers = sqliteTable(
  "domain_transfers",
  {
    id: text().primaryKey().notNull(),
    domainId: text("domain_id").notNull(),
    domainName: text("domain_name").notNull(),
    reversedName: text("reversed_name").notNull(),
    status: text({
      enum: ["pending", "accepted", "completed", "declined", "cancelled", "reversed", "expired"],
    }).notNull(),
    sourceUserId: text("source_user_id").notNull(),
    sourceWorkspace: integer("source_workspace").notNull(),
    sourceOrgId: text("source_org_id").notNull(),
    sourceLabel: text("source_label").notNull(),
    targetEmail: text("target_email").notNull(),
    targetEmailKey: text("target_email_key").notNull(),
    targetUserId: text("target_user_id"),
    targetWorkspace: integer("target_workspace"),
    targetOrgId: text("target_org_id"),
    note: text(),
    initiatedAt: integer("initiated_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    acceptedAt: integer("accepted_at"),
    cooloffUntil: integer("cooloff_until"),
    completedAt: integer("completed_at"),
  },
  (t) => [
    uniqueIndex("domain_transfers_active")
      .on(t.sourceWorkspace, t.reversedName)
      .where(sql`status IN ('pending', 'accepted')`),
    index("domain_transfers_incoming").on(t.targetEmailKey, t.id).where(sql`status IN ('pending', 'accepted')`),
    index("domain_transfers_outgoing").on(t.sourceUserId, t.id),
    index("domain_transfers_by_domain").on(t.domainId).where(sql`status IN ('pending', 'accepted')`),
  ],
);

const transferId = () =>
  text("transfer_id")
    .notNull()
    .references(() => domainTransfers.id, { onDelete: "cascade" });

export const domainTransferTokens = sqliteTable(
  "domain_transfer_tokens",
  {
    hash: text().primaryKey().notNull(),
    transferId: transferId(),
    kind: text({ enum: ["accept", "stop"] }).notNull(),
  },
  (t) => [index("domain_transfer_tokens_by_transfer").on(t.transferId)],
);

export const domainTransferKeys = sqliteTable(
  "domain_transfer_keys",
  {
    id: text().primaryKey().notNull(),
    transferId: transferId(),
    domainId: text("domain_id").notNull(),
    selector: text().notNull(),
    algorithm: text({ enum: ["rsa-sha256", "ed25519-sha256"] }).notNull(),
    publicKey: text("public_key").notNull(),
    privateKey: text("private_key").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [index("domain_transfer_keys_by_transfer").on(t.transferId)],
);
