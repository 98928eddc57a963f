import { expect } from "vitest";
import type { PathIds } from "../support/route-tests.ts";
import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const aResendEmail = ({ mailbox }: TestWorkspace) => ({
  from: `Hello <${mailbox}>`,
  to: "friend@example.org",
  subject: "A subject",
  text: "A text.",
});

/** The routes for programs written for Resend's package. */
export const compatCases = (createScheduledEmail: (workspace: TestWorkspace) => Promise<PathIds>) =>
  ({
    "POST /compat/resend/emails": { success: 200, body: aResendEmail },
    "POST /compat/resend/emails/batch": { success: 200, body: (workspace) => [aResendEmail(workspace)] },
    "GET /compat/resend/emails/:email_id": { success: 200, create: createScheduledEmail },
    "PATCH /compat/resend/emails/:email_id": {
      success: 200,
      create: createScheduledEmail,
      body: () => ({ scheduled_at: "in 2 hours" }),
    },
    "POST /compat/resend/emails/:email_id/cancel": { success: 200, create: createScheduledEmail },
  }) satisfies Record<string, RouteCase>;

export const isResendRoute = (route: string) => route.includes(" /compat/resend/");

/** The body of a refused call of these routes. */
export const resendRefusal = (statusCode: 401 | 403, message: unknown = expect.any(String)) => ({
  statusCode,
  name: statusCode === 403 ? "restricted_api_key" : expect.stringMatching(/^(missing|invalid)_api_key$/),
  message,
});
