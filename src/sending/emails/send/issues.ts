/** Errors of a send request, in the one shape that send, validate and batch share. */

import { AppError, MAX_VALIDATION_ERRORS, unprocessable } from "../../../lib/errors.ts";

/** One error that prevents a request from being sent. A send returns `status`; `loc` is the path in the body. */
export interface Issue {
  field: "account" | "from" | "to" | "content";
  status: 400 | 403 | 413 | 422;
  loc: (string | number)[];
  type: string;
  error: string;
}

/** Returns an issue that a send returns 422 to. */
export const invalid = (field: Issue["field"], loc: Issue["loc"], error: string, type = "value_error"): Issue => ({
  field,
  status: 422,
  loc,
  type,
  error,
});

/** Returns the error that a send returns for these issues: the account's 403, else 413, else 400, else every 422 at once. */
export function toError(issues: readonly Issue[]): AppError {
  for (const status of [403, 413, 400] as const) {
    const issue = issues.find((candidate) => candidate.status === status);
    if (issue) return new AppError(status, issue.error);
  }
  return unprocessable(toValidationErrors(issues, ["body"]));
}

/** Returns issues as errors of a 422 body, at most MAX_VALIDATION_ERRORS. `prefix` is the path of the request in the body. */
export function toValidationErrors(issues: readonly Issue[], prefix: (string | number)[]) {
  return issues
    .slice(0, MAX_VALIDATION_ERRORS)
    .map(({ loc, error, type }) => ({ loc: [...prefix, ...loc], msg: error, type }));
}

/** Returns the issue that decides a send's status as one sentence; empty when there is no issue. */
export function firstReason(issues: readonly Issue[]): string {
  const issue = [413, 400].flatMap((status) => issues.find((candidate) => candidate.status === status) ?? [])[0];
  const first = issue ?? issues[0];
  if (!first) return "";
  return first.status === 422 ? describeIssue(first) : first.error;
}

/** Returns an issue as one sentence that begins with the path of its field. */
export const describeIssue = ({ loc, error }: Issue): string => (loc.length > 0 ? `${loc.join(".")}: ${error}` : error);
