import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { nameIssue } from "../../lib/text-rules.ts";
import { isWebUrl } from "../../lib/web-url.ts";
import type { oauthClients } from "../../platform/db/schema/main/index.ts";
import type { GrantRow } from "./grants.ts";
import { MAX_CLIENT_NAME_CHARACTERS, MAX_REDIRECT_URIS, MAX_URI_CHARACTERS, redirectUriIssue } from "./rules.ts";

const RedirectUri = z.string().superRefine((uri, context) => {
  const issue = redirectUriIssue(uri);
  if (issue !== null) context.addIssue({ code: "custom", message: issue, input: uri });
});

const Name = z
  .string()
  .min(1)
  .max(MAX_CLIENT_NAME_CHARACTERS)
  .superRefine((name, context) => {
    const issue = nameIssue(name);
    if (issue !== null) context.addIssue({ code: "custom", message: issue, input: name });
  });

/** The metadata of a client that registers (RFC 7591 2). Other fields are ignored. */
export const ClientIn = z.object({
  redirect_uris: z.array(RedirectUri).min(1).max(MAX_REDIRECT_URIS),
  client_name: Name.nullish(),
  client_uri: z
    .string()
    .max(MAX_URI_CHARACTERS)
    .refine((uri) => isWebUrl(uri) && uri.startsWith("https:"), "client_uri must be an https URL")
    .nullish(),
  grant_types: z
    .array(z.string())
    .max(20)
    .refine((types) => types.includes("authorization_code"), "grant_types must include authorization_code")
    .nullish(),
  response_types: z
    .array(z.string())
    .max(20)
    .refine((types) => types.includes("code"), "response_types must include code")
    .nullish(),
});
export type ClientIn = z.output<typeof ClientIn>;

/** A registered client. No claim of it is verified: anyone may register any name. */
export type OAuthClient = Omit<typeof oauthClients.$inferSelect, "usedAt">;

/** Returns the response of a registration (RFC 7591 3.2.1). Every client is public, whatever it asked for. */
export const toClientInformation = (client: OAuthClient) => ({
  client_id: client.id,
  client_id_issued_at: Math.floor(client.createdAt / 1000),
  redirect_uris: client.redirectUris,
  ...(client.name === null ? {} : { client_name: client.name }),
  ...(client.uri === null ? {} : { client_uri: client.uri }),
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/** A grant of the caller's user to a client (docs/contract/sign-in.md#oauth). */
export const GrantOut = z
  .object({
    id: z.uuid(),
    client: z.object({
      id: z.uuid(),
      name: z.string().nullable().describe("The name that the client gave itself. It is not verified."),
      uri: z.string().nullable(),
    }),
    workspace: z.object({ id: z.uuid(), name: z.string() }),
    scopes: z.array(z.string()).describe("As granted. Your role in the workspace may permit fewer."),
    created_at: timestamp,
    refreshed_at: timestamp.nullable().describe("When the client last got an access token."),
    expires_at: timestamp,
  })
  .meta(
    named("Grant", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a45",
      client: { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a46", name: "An assistant", uri: null },
      workspace: { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06", name: "Example Shop" },
      scopes: ["emails:view"],
      created_at: "2026-11-21T14:00:00.000Z",
      refreshed_at: "2026-11-21T14:58:00.000Z",
      expires_at: "2026-12-21T14:58:00.000Z",
    }),
  );

export function toGrant(row: GrantRow): z.output<typeof GrantOut> {
  return serialize(GrantOut, {
    ...row,
    client: { id: row.client_id, name: row.client_name, uri: row.client_uri },
    workspace: { id: row.workspace_id, name: row.workspace_name },
    scopes: JSON.parse(row.scopes) as string[],
  });
}
