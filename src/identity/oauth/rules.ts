/** Lifetime of an authorization code, in ms (docs/contract/sign-in.md#oauth). */
export const CODE_TTL_MS = 60_000;
/** Time after which a client that was never used is deleted, in ms (docs/contract/sign-in.md#oauth). */
export const UNUSED_CLIENT_TTL_MS = 24 * 3_600_000;
/** Registrations of clients that an address may make an hour (docs/contract/limits.md#rate-limits). */
export const REGISTRATIONS_PER_HOUR = 20;

export const MAX_REDIRECT_URIS = 10;
export const MAX_URI_CHARACTERS = 2_000;
export const MAX_CLIENT_NAME_CHARACTERS = 100;
/** Longest `state` of a client, in characters. */
export const MAX_STATE_CHARACTERS = 2_000;

/** A host on the user's own machine (RFC 8252 7.3; `localhost` because clients register it too). */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(?=[/?]|$)/;
/** A scheme that an app claims by its reversed domain name (RFC 8252 7.1). */
const APP_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\/[^\s]*$/;
/** Schemes of editors and assistants that do not follow RFC 8252 7.1. No browser or system handles these itself. */
const KNOWN_APP_SCHEMES = ["claude", "cursor", "vscode", "vscode-insiders", "windsurf", "zed"];

/** Returns why a redirect URI is refused, or null: for https, http to a loopback host, and the scheme of an app (RFC 8252 7). Pure. */
export function redirectUriIssue(uri: string): string | null {
  if (uri.length > MAX_URI_CHARACTERS) return `A redirect URI has at most ${MAX_URI_CHARACTERS} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"'<>`{|}^*]/.test(uri))
    return "A redirect URI has only characters of RFC 3986, no *";
  if (uri.includes("#")) return "A redirect URI has no fragment (RFC 6749 3.1.2)";
  if (!URL.canParse(uri)) return "A redirect URI is absolute";
  const { protocol, username, password } = new URL(uri);
  if (username !== "" || password !== "") return "A redirect URI has no user name or password";
  if (/^https:\/\/[^/?]/.test(uri) || LOOPBACK.test(uri) || APP_SCHEME.test(uri)) return null;
  if (KNOWN_APP_SCHEMES.includes(protocol.slice(0, -1)) && uri.startsWith(`${protocol}//`)) return null;
  return "A redirect URI is https, http to 127.0.0.1, [::1] or localhost, or has the scheme of an app (com.example.app:/…)";
}

/**
 * Returns whether a requested redirect URI is a registered one: the same string, except for the port of a loopback host,
 * which an app does not know before it starts (RFC 8252 7.3, RFC 9700 4.1.3) and which is at most 65535. Pure.
 */
export function isRegistered(registered: readonly string[], requested: string): boolean {
  return registered.some(
    (uri) =>
      uri === requested || (isLoopback(uri) && URL.canParse(requested) && withoutPort(uri) === withoutPort(requested)),
  );
}

const isLoopback = (uri: string) => LOOPBACK.test(uri);
const withoutPort = (uri: string) => uri.replace(LOOPBACK, "http://$1");

/** Returns the source expression of a redirect URI for the `form-action` directive of the consent page (CSP 3, 2.3.1). */
export function formActionOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return origin === "null" ? protocol : origin;
}

/** Returns whether a text is a code verifier (RFC 7636 4.1). */
export const isCodeVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text);

/** Returns whether a text is an S256 code challenge (RFC 7636 4.2): 32 octets in base64url. */
export const isCodeChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text);

/** Returns the words of a space-separated list (RFC 6749 3.3), each once. */
export const splitWords = (text: string): string[] => [...new Set(text.split(" ").filter((word) => word !== ""))];

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
