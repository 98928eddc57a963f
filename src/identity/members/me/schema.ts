import * as z from "zod";
import type { Actor, CallerCtx } from "../../../access/caller.ts";
import { named, timestamp } from "../../../lib/serialize.ts";
import { iso, isoOrNull } from "../../../lib/time.ts";

/** The caller, its active workspace, role and scopes, and how it authenticated (docs/contract/workspaces.md#the-caller). */
export const MeOut = z
  .object({
    user: z.object({ id: z.uuid(), email: z.string(), name: z.string().nullable() }),
    workspace: z.object({ id: z.uuid(), name: z.string(), slug: z.string(), sending_paused: z.boolean() }),
    role: z.enum(["owner", "admin", "member"]),
    scopes: z.array(z.string()),
    authentication: z.discriminatedUnion("method", [
      z.object({
        method: z.literal("api_key"),
        api_key_id: z.uuid(),
        api_key_prefix: z.string(),
        expires_at: timestamp.nullable(),
        domain_ids: z
          .array(z.uuid())
          .nullable()
          .describe("Ids of the domains that the key is restricted to; null: not restricted."),
      }),
      z.object({
        method: z.literal("session"),
        session_id: z.uuid(),
        expires_at: timestamp.describe("When the access token must be refreshed."),
        reauthenticated_at: timestamp.nullable(),
        is_platform_admin: z.boolean(),
      }),
      z.object({
        method: z.literal("oauth"),
        grant_id: z.uuid(),
        client_id: z.uuid(),
        client_name: z.string().nullable().describe("As the client calls itself."),
        expires_at: timestamp.nullable().describe("When the access token must be refreshed."),
      }),
    ]),
  })
  .meta(
    named("Me", {
      user: { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05", email: "owner@example.com", name: "Ada" },
      workspace: {
        id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
        name: "Example Shop",
        slug: "example-shop",
        sending_paused: false,
      },
      role: "owner",
      scopes: ["emails:send", "emails:view"],
      authentication: {
        method: "api_key",
        api_key_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a04",
        api_key_prefix: "svc_k_wAZ4zrAh",
        expires_at: null,
        domain_ids: null,
      },
    }),
  );
export type MeOut = z.output<typeof MeOut>;

export const toMe = ({ actor, workspace }: CallerCtx): MeOut => ({
  user: { id: actor.userId, email: actor.email, name: actor.name },
  workspace: {
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    sending_paused: workspace.sendingPaused,
  },
  role: actor.role,
  scopes: [...actor.scopes].sort(),
  authentication: toAuthentication(actor),
});

function toAuthentication(actor: Actor): MeOut["authentication"] {
  if (actor.kind === "session")
    return {
      method: actor.kind,
      session_id: actor.credentialId,
      expires_at: iso(actor.accessExpiresAt),
      reauthenticated_at: isoOrNull(actor.reauthenticatedAt),
      is_platform_admin: actor.isPlatformAdmin,
    };
  if (actor.kind === "oauth")
    return {
      method: actor.kind,
      grant_id: actor.credentialId,
      client_id: actor.clientId,
      client_name: actor.clientName,
      expires_at: isoOrNull(actor.expiresAt),
    };
  if (actor.kind !== "api_key") throw new Error(`a caller of kind ${actor.kind} makes no requests`);
  return {
    method: actor.kind,
    api_key_id: actor.credentialId,
    api_key_prefix: actor.keyPrefix,
    expires_at: isoOrNull(actor.expiresAt),
    domain_ids: actor.domainIds && [...actor.domainIds],
  };
}
