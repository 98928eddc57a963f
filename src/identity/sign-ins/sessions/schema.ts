import * as z from "zod";
import type { SessionActor } from "../../../access/caller.ts";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import type { sessions } from "../../../platform/db/schema/main/index.ts";

/** The response of a call that set a new access token. */
export const AccessOut = z
  .object({ expires_at: timestamp.describe("When the access token must be refreshed.") })
  .meta(named("SessionAccess", { expires_at: "2026-11-21T15:00:00.000Z" }));

export const WorkspaceSwitch = z
  .object({
    org_id: z.string().meta({ format: "uuid", maxLength: 36 }).describe("Id of a workspace that you belong to."),
  })
  .meta(named("WorkspaceSwitch", { org_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06" }));

/** A session of the caller's user (docs/contract/sign-in.md#sessions). */
export const SessionOut = z
  .object({
    id: z.uuid(),
    method: z
      .enum(["magic_link", "google", "github", "bootstrap", "invitation", "operator"])
      .describe("How the user signed in."),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    is_current: z.boolean().describe("Whether this is the session of the request."),
    created_at: timestamp,
    refreshed_at: timestamp.describe("Last renewal of the access token; at least once an hour while in use."),
    expires_at: timestamp,
    reauthenticated_at: timestamp.nullable(),
  })
  .meta(
    named("Session", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a07",
      method: "magic_link",
      ip: "192.0.2.7",
      user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      is_current: true,
      created_at: "2026-11-21T14:00:00.000Z",
      refreshed_at: "2026-11-21T14:58:00.000Z",
      expires_at: "2026-12-21T14:58:00.000Z",
      reauthenticated_at: null,
    }),
  );
export type SessionOut = z.output<typeof SessionOut>;

export const toSession = (row: typeof sessions.$inferSelect, actor: SessionActor): SessionOut =>
  serialize(SessionOut, { ...row, isCurrent: row.id === actor.credentialId });
