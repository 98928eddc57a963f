/**
 * Reasons for which a message cannot be composed. `smtputf8`: an address requires SMTPUTF8 and the next hop does not support it.
 * `attachment_changed`: a source did not yield `size` bytes; thrown while the body is read, never by compose().
 */
export type ComposeErrorCode =
  | "address"
  | "smtputf8"
  | "header_name"
  | "header_value"
  | "line_too_long"
  | "identity"
  | "attachment"
  | "attachment_changed";

/** Signals a message that cannot be composed. `field` names the invalid part. The text quotes nothing of the message. */
export class ComposeError extends Error {
  readonly code: ComposeErrorCode;
  readonly field: string;
  constructor(code: ComposeErrorCode, field: string, message: string) {
    super(`${field}: ${message}`);
    this.name = "ComposeError";
    this.code = code;
    this.field = field;
  }
}
