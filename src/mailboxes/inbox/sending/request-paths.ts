import { AppError, unprocessable, type ValidationError } from "../../../lib/errors.ts";

/**
 * Returns an error of the send that a message became, with each `loc` as the path in the request of the caller: addresses are
 * texts, the sender is one of the mailbox of the path, attachments are uploaded files. Any other error is returned as it is. Pure.
 */
export function inRequestPaths(error: unknown): unknown {
  if (!(error instanceof AppError) || error.status !== 422 || typeof error.detail === "string") return error;
  return unprocessable(error.detail.map((issue): ValidationError => ({ ...issue, loc: requestPath(issue.loc) })));
}

function requestPath(loc: ValidationError["loc"]): ValidationError["loc"] {
  const [place = "body", field, index] = loc;
  if (field === "from_") return ["path", "mailbox_id"];
  if (field === "to" || field === "cc" || field === "bcc") return loc.slice(0, 3);
  if (field === "attachments") return index === undefined ? [place, "file_ids"] : [place, "file_ids", index];
  // The only headers of a message that is sent from a mailbox make it a reply.
  return field === "headers" ? [place, "in_reply_to"] : loc;
}
