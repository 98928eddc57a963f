import { errors, jwtVerify, SignJWT } from "jose";
import { fromBase64Url, toBase64Url } from "../../lib/bytes.ts";
import { deriveKey, newestKey } from "../../lib/derive-key.ts";
import type { Ctx } from "../../platform/context.ts";
import { ACCESS_TOKEN_TTL_MS } from "./rules.ts";

/** The kinds of JWT. Each has its own key, `typ` and audience, so that none passes for another (RFC 8725 3.11, 3.12). */
export type AccessTokenKind = "session" | "mailbox_access" | "bootstrap" | "operator" | "backup" | "rotation" | "smtp";

/** The claims of an access token beside `iss`, `aud`, `iat` and `exp`. */
export interface AccessClaims {
  /** Id of the user, of the mailbox or of the SMTP credential, or what names a mailbox and its secret in a connection of SMTP. */
  sub: string;
  /** Id of the session row, of the SMTP connection. */
  sid: string;
  /** Id of the active workspace. */
  wid: string;
}

const ALGORITHM = "HS256";
/** An access token has about 500 characters. */
const MAX_TOKEN_CHARACTERS = 2_048;

/** Returns a JWT (RFC 7519) that is valid for 60 minutes, signed by a key derived from the newest master key. */
export async function signAccessToken(
  ctx: Pick<Ctx, "settings" | "now">,
  kind: AccessTokenKind,
  claims: AccessClaims,
): Promise<{ token: string; expiresAt: number }> {
  const root = newestKey(ctx.settings.masterKeys);
  const issuedAt = Math.floor(ctx.now() / 1000);
  const expiresAt = issuedAt + ACCESS_TOKEN_TTL_MS / 1000;
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, typ: kind, kid: String(root.version) })
    .setIssuer(ctx.settings.publicUrl)
    .setAudience(audienceOf(ctx, kind))
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(await deriveKey(root, "jwt", kind));
  return { token, expiresAt: expiresAt * 1000 };
}

/** Returns the claims of a JWT of this kind, or null for one that is not valid now. The session that it names may have ended. */
export async function verifyAccessToken(
  ctx: Pick<Ctx, "settings" | "now">,
  kind: AccessTokenKind,
  token: string,
): Promise<(AccessClaims & { expiresAt: number }) | null> {
  if (!isCanonical(token)) return null;
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const root = ctx.settings.masterKeys.find(({ version }) => String(version) === kid);
        if (!root) throw new errors.JWKSNoMatchingKey();
        return deriveKey(root, "jwt", kind);
      },
      {
        algorithms: [ALGORITHM],
        typ: kind,
        issuer: ctx.settings.publicUrl,
        audience: audienceOf(ctx, kind),
        requiredClaims: ["sub", "sid", "wid", "iat", "exp"],
        currentDate: new Date(ctx.now()),
      },
    );
    const { sub, sid, wid, exp } = payload;
    if (typeof sub !== "string" || typeof sid !== "string" || typeof wid !== "string") return null;
    return { sub, sid, wid, expiresAt: (exp ?? 0) * 1000 };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

const audienceOf = ({ settings }: Pick<Ctx, "settings">, kind: AccessTokenKind) => `${settings.publicUrl}/${kind}`;

/** Returns whether each part is the one base64url form of its bytes: decoders ignore some bits of its last character. */
function isCanonical(token: string): boolean {
  const parts = token.split(".");
  return token.length <= MAX_TOKEN_CHARACTERS && parts.length === 3 && parts.every(isCanonicalPart);
}

function isCanonicalPart(part: string): boolean {
  const bytes = fromBase64Url(part);
  return bytes !== null && bytes.length > 0 && toBase64Url(bytes) === part;
}
