/** Error codes of RFC 6749 4.1.2.1 and 5.2, RFC 7591 3.2.2 and RFC 8707 2. */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "unsupported_token_type"
  | "access_denied"
  | "invalid_redirect_uri"
  | "invalid_client_metadata";

/** A refusal of an OAuth endpoint, whose form RFC 6749 5.2 prescribes. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.name = "OAuthError";
    this.code = code;
  }

  /** A client that is unknown has to register again; everything else is a 400. */
  get status(): 400 | 401 {
    return this.code === "invalid_client" ? 401 : 400;
  }
}
