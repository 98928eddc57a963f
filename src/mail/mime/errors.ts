/**
 * What makes a mail impossible to compose.
 * `smtputf8`: an address cannot be written without SMTPUTF8, and the other side does not offer it.
 * `attachment_changed`: a source gave other than `size` octets; thrown while reading, never at compose time.
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

/** A mail that must not go out as asked. `field` names the part at fault; the message holds no content of the mail. */
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
