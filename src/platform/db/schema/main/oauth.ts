import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { userId, workspaceNumber } from "./accounts.ts";

export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey().notNull(),
    name: text(),
    uri: text(),
    redirectUris: text("redirect_uris", { mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    usedAt: integer("used_at"),
  },
  (t) => [index("oauth_clients_unused").on(t.createdAt).where(sql`used_at IS NULL`)],
);

export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    userId: userId(),
    clientId: text("client_id")
      .notNull()
      .references(() => oauthClients.id),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    resource: text().notNull(),
    createdAt: integer("created_at").notNull(),
    refreshedAt: integer("refreshed_at"),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [
    index("oauth_grants_by_user").on(t.userId, t.id),
    index("oauth_grants_by_workspace").on(t.workspace, t.userId),
    index("oauth_grants_by_client").on(t.clientId),
    index("oauth_grants_by_expiry").on(t.expiresAt),
  ],
);

const grantId = () =>
  text("grant_id")
    .notNull()
    .references(() => oauthGrants.id, { onDelete: "cascade" });

export const oauthCodes = sqliteTable(
  "oauth_codes",
  {
    hash: text().primaryKey().notNull(),
    grantId: grantId(),
    redirectUri: text("redirect_uri").notNull(),
    codeChallenge: text("code_challenge").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
  },
  (t) => [index("oauth_codes_by_grant").on(t.grantId)],
);

export const oauthAccessTokens = sqliteTable(
  "oauth_access_tokens",
  {
    hash: text().primaryKey().notNull(),
    grantId: grantId(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("oauth_access_tokens_by_grant").on(t.grantId), index("oauth_access_tokens_by_expiry").on(t.expiresAt)],
);
