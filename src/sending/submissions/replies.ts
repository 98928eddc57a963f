import { AppError } from "../../lib/errors.ts";
import { RawMessageError } from "../../mail/raw/errors.ts";

/** A reply of SMTP: code, enhanced status code (RFC 3463) and text. */
export type SmtpReply = `${number} ${number}.${number}.${number} ${string}`;

/** The replies to the statuses that a send by the API returns. */
const replyCodes: Readonly<Record<number, `${number} ${number}.${number}.${number}`>> = {
  400: "554 5.6.0",
  401: "535 5.7.8",
  403: "550 5.7.1",
  409: "554 5.5.0",
  413: "552 5.3.4",
  422: "550 5.7.1",
  429: "451 4.7.1",
  503: "452 4.3.1",
};

/** Signals a refusal with a reply of its own. */
export class ReplyError extends Error {
  readonly reply: SmtpReply;
  constructor(reply: SmtpReply) {
    super(reply);
    this.name = "ReplyError";
    this.reply = reply;
  }
}

/** Returns the reply to an error, or null for one that is no refusal: the gateway then returns 451, and the client tries again. */
export function toReply(error: unknown): SmtpReply | null {
  if (error instanceof ReplyError) return error.reply;
  if (error instanceof RawMessageError)
    return error.kind === "size" ? `552 5.3.4 ${error.message}` : `554 5.6.0 ${error.message}`;
  if (!(error instanceof AppError)) return null;
  // Work of the same Idempotency-Key is still running.
  if (error.status === 409 && error.extra.headers?.["Retry-After"]) return `451 4.5.0 ${error.message}`;
  const code = replyCodes[error.status];
  return code === undefined ? null : `${code} ${error.message}`;
}
