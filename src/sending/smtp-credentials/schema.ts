import * as z from "zod";
import { idField } from "../../lib/id-field.ts";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import type { SmtpCredentialRow } from "./queries.ts";

/** Request and response schemas of SMTP credentials. */

export const SmtpCredentialIn = z
  .object({
    domain_id: idField().describe("Id of a verified domain of the workspace, without an active credential."),
  })
  .meta(named("SmtpCredentialCreate", { domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02" }));
export type SmtpCredentialIn = z.output<typeof SmtpCredentialIn>;

const id = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a50";
const username = "019aa7c0@example.com";
const created_at = "2026-11-21T14:00:00.000Z";

export const NewSmtpCredentialOut = z
  .object({
    id: z.uuid(),
    username: z.string(),
    password: z.string().describe("256 random bits. Shown in this response only."),
    smtp_host: z.string(),
    smtp_port: z.int().describe("Takes STARTTLS, which comes before AUTH PLAIN or LOGIN."),
    created_at: timestamp,
  })
  .meta(
    named("NewSmtpCredential", {
      id,
      username,
      password: "pXo0a1FQhT3cB7u8f0mYw5m7rJ0E5H6nN1k2rS4vV8A",
      smtp_host: "smtp.mail.test",
      smtp_port: 587,
      created_at,
    }),
  );
export type NewSmtpCredentialOut = z.output<typeof NewSmtpCredentialOut>;

export const SmtpCredentialOut = z
  .object({
    id: z.uuid(),
    username: z.string(),
    domain_id: z.uuid(),
    is_active: z.boolean(),
    created_at: timestamp,
  })
  .meta(
    named("SmtpCredential", {
      id,
      username,
      domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      is_active: true,
      created_at,
    }),
  );
export type SmtpCredentialOut = z.output<typeof SmtpCredentialOut>;

/** Serializes a credential without its password. */
export const toSmtpCredential = (row: SmtpCredentialRow): SmtpCredentialOut =>
  serialize(SmtpCredentialOut, { ...row, isActive: row.deactivatedAt === null });
