import { parseUuid } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import type { oauthClients } from "../../platform/db/schema/main/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";
import { OAuthError, UNUSED_CLIENT_TTL_MS } from "./rules.ts";
import type { ClientIn, OAuthClient } from "./schema.ts";

const INSERT_CLIENT = `
  INSERT INTO oauth_clients (id, name, uri, redirect_uris, created_at) VALUES (?1, ?2, ?3, ?4, ?5)`;

/** Registers a public client (RFC 7591 3.1). It is deleted after 24 hours without a grant. */
export async function registerClient(ctx: Ctx, input: ClientIn): Promise<OAuthClient> {
  const client: OAuthClient = {
    id: ctx.newId(),
    name: input.client_name ?? null,
    uri: input.client_uri ?? null,
    redirectUris: [...new Set(input.redirect_uris)],
    createdAt: ctx.now(),
  };
  const values = [client.id, client.name, client.uri, JSON.stringify(client.redirectUris), client.createdAt];
  await ctx.db.execute(INSERT_CLIENT, ...values);
  return client;
}

// The same condition as in the statement that deletes unused clients, so that the hour of that makes no difference.
const FIND_CLIENT = `
  SELECT id, name, uri, redirect_uris, created_at FROM oauth_clients
   WHERE id = ?1 AND (used_at IS NOT NULL OR created_at > ?2)`;

/** Returns a client by its id. Throws invalid_client for one that is unknown or was deleted. */
export async function getClient(ctx: Ctx, clientId: string): Promise<OAuthClient> {
  const values = [parseUuid(clientId), ctx.now() - UNUSED_CLIENT_TTL_MS];
  const row = await ctx.db.findRow<Omit<StoredRow<typeof oauthClients>, "used_at">>(FIND_CLIENT, ...values);
  if (!row) throw new OAuthError("invalid_client", "No client has this client_id; it may have expired. Register again");
  const { redirect_uris: uris, created_at: createdAt, ...client } = row;
  return { ...client, redirectUris: JSON.parse(uris) as string[], createdAt };
}
