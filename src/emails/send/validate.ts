import type { CallerCtx } from "../../context.ts";
import { MAX_FAULTS } from "../../errors.ts";
import type { SendIn, ValidateOut } from "../schema.ts";
import { check, findSendRecords } from "./check.ts";
import { describeIssue } from "./issues.ts";
import { parse } from "./parse.ts";

/** Checks a request as a send does, and returns its issues (specification: POST /v1/emails/validate). Writes nothing. */
export async function validateEmail(ctx: CallerCtx, input: SendIn): Promise<ValidateOut> {
  const request = parse(input, ctx.now());
  const checked = check(ctx, request, await findSendRecords(ctx, [request]), { source: "api", isRetry: false });
  const issues = "issues" in checked ? checked.issues.slice(0, MAX_FAULTS) : [];
  return {
    valid: issues.length === 0,
    can_send: issues.length === 0,
    issues: issues.map((issue) => ({ field: issue.field, error: describeIssue(issue) })),
  };
}
