import * as z from "zod";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import { iso } from "../../../lib/time.ts";
import { actions } from "../../../platform/audit/actions.ts";
import type { AuditRow } from "./queries.ts";

/** An entry of the audit log. */
export const AuditEntryOut = z
  .object({
    id: z.uuid(),
    actor: z
      .object({
        user_id: z.uuid(),
        email: z.string(),
        method: z.enum(["api_key", "session", "oauth", "invitation"]).describe("How the caller authenticated."),
        credential_id: z.uuid().describe("Id of the API key, session, OAuth grant or invitation."),
      })
      .nullable()
      .describe("null: the service itself."),
    action: z.string().describe(`One of ${Object.keys(actions).join(", ")}.`),
    target: z.object({ kind: z.string(), id: z.string() }),
    ip: z.string().nullable(),
    at: timestamp,
    detail: z.record(z.string(), z.unknown()).describe("What changed. Its fields depend on the action."),
  })
  .meta(
    named("AuditEntry", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a11",
      actor: {
        user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
        email: "owner@example.com",
        method: "api_key",
        credential_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a04",
      },
      action: "suppression.added",
      target: { kind: "suppression", id: "ada@example.org" },
      ip: "192.0.2.7",
      at: "2026-11-21T14:00:00.000Z",
      detail: { reason: "manual" },
    }),
  );
export type AuditEntryOut = z.output<typeof AuditEntryOut>;

/** Serializes an entry of the audit log. */
export function toAuditEntry(row: AuditRow): AuditEntryOut {
  const { userId, userEmail, method, credentialId } = row;
  const isKnown = userId !== null && userEmail !== null && method !== null && credentialId !== null;
  return serialize(AuditEntryOut, {
    ...row,
    actor: isKnown ? { user_id: userId, email: userEmail, method, credential_id: credentialId } : null,
    target: { kind: row.targetKind, id: row.targetId },
    at: iso(row.createdAt),
  });
}
