import type { CallerCtx } from "../../../access/caller.ts";
import { MAX_VALIDATION_ERRORS, type ValidationError } from "../../../lib/errors.ts";
import type { SendIn, ValidateOut } from "../schema.ts";
import { check, findDropped } from "./check.ts";
import { describeIssue } from "./issues.ts";
import { parse } from "./parse.ts";
import { findSendRecords } from "./records.ts";
import { resolveTemplates } from "./templates.ts";
import { warningsOf } from "./warnings.ts";

/** Checks a request as a send does. Returns its issues and suppressed recipients (docs/contract/emails.md#validation). */
export async function validateEmail(ctx: CallerCtx, input: SendIn): Promise<ValidateOut> {
  const scope = { source: "api", isRetry: false };
  const [resolved = { input, issues: [] }] = await resolveTemplates(ctx, [input]);
  const request = parse(resolved.input, ctx.now(), resolved.issues);
  const records = await findSendRecords(ctx, [request]);
  const checked = check(ctx, request, records, scope);
  const issues = "issues" in checked ? checked.issues : [];
  const dropped = findDropped(request, records, scope);
  const suppressed = request.recipients.flatMap(({ email, key }) => {
    const reason = dropped.get(key);
    if (reason === undefined) return [];
    return records.suppressed.get(key)?.reason === reason
      ? [`${email} is on the suppression list (${reason})`]
      : [`${email} is not subscribed to the topic`];
  });
  return {
    valid: issues.length === 0 && suppressed.length === 0,
    can_send: issues.length === 0 && suppressed.length < request.recipients.length,
    issues: [
      ...issues.map((issue) => ({ field: issue.field, error: describeIssue(issue) })),
      ...suppressed.map((error) => ({ field: "to" as const, error })),
    ].slice(0, MAX_VALIDATION_ERRORS),
    warnings: warningsOf(resolved.input),
  };
}

/** Returns the validation of a request that could not be parsed: its errors as issues. */
export function toValidation(errors: readonly ValidationError[]): ValidateOut {
  const issues = errors.map(({ loc: [, ...path], msg }) => ({
    field: fieldOf(path[0]),
    error: path.length > 0 ? `${path.join(".")}: ${msg}` : msg,
  }));
  return { valid: false, can_send: false, issues };
}

function fieldOf(name: string | number | undefined): ValidateOut["issues"][number]["field"] {
  if (name === "from_") return "from";
  return name === "to" || name === "cc" || name === "bcc" ? "to" : "content";
}
