import * as z from "zod";
import type { MailboxTokens } from "../../../access/mailbox-sessions/sessions.ts";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";

const Password = z.string().max(256);
const RefreshToken = z.string().max(64);

export const WebmailLoginIn = z
  .object({ email: z.string().max(508).describe("Address of the mailbox."), password: Password })
  .meta(named("WebmailLogin", { email: "hello@example.com", password: "correct horse battery staple" }));

export const RefreshIn = z
  .object({ refresh_token: RefreshToken })
  .meta(named("WebmailRefresh", { refresh_token: "n2cZhPrAAqdzN9UrQmXoF0vKcW7Y6b1sT4eJ8hLxGiE" }));

export const WebmailTokens = z
  .object({
    access_token: z.string().describe("JWT of the type `mailbox_access`, valid for 60 minutes."),
    expires_at: timestamp.describe("When the access token expires."),
    refresh_token: z.string().describe("Valid for 30 days and replaced by each use."),
    mailbox_id: z.uuid(),
  })
  .meta(
    named("WebmailTokens", {
      access_token: "eyJhbGciOiJIUzI1NiIsInR5cCI6Im1haWxib3hfYWNjZXNzIn0.e30.c2lnbmF0dXJl",
      expires_at: "2026-11-21T16:00:00.000Z",
      refresh_token: "n2cZhPrAAqdzN9UrQmXoF0vKcW7Y6b1sT4eJ8hLxGiE",
      mailbox_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a03",
    }),
  );

export const toWebmailTokens = (tokens: MailboxTokens) =>
  serialize(WebmailTokens, { ...tokens, expiresAt: tokens.accessExpiresAt });
