import { env } from "cloudflare:workers";
import { base64url, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it } from "vitest";
import { signAccessToken, verifyAccessToken } from "../../../src/access/sessions/access-token.ts";
import { ACCESS_TOKEN_TTL_MS } from "../../../src/access/sessions/rules.ts";
import { deriveKey } from "../../../src/lib/derive-key.ts";
import { apiWithCookies, aSession } from "../../support/sessions.ts";
import { apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));
const ctx = testContext();
const { publicUrl, masterKeys } = ctx.settings;
const [root = { version: 0, key: "" }] = masterKeys;

const statusOf = async (token: string) => (await apiWithCookies({ session: token }).get("/v1/me")).status;
const claims = () => ({ sub: workspace.userId, sid: session.sessionId, wid: workspace.workspaceId });

/** Signs any header and claims with the key of sessions. */
async function forge(header: Record<string, unknown>, changes: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = { ...claims(), iss: publicUrl, aud: `${publicUrl}/session`, iat: now, exp: now + 3600, ...changes };
  const full = { alg: "HS256", typ: "session", kid: String(root.version), ...header };
  const signed = `${base64url.encode(JSON.stringify(full))}.${base64url.encode(JSON.stringify(payload))}`;
  const key = await deriveKey(root, "jwt", "session");
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed));
  return `${signed}.${base64url.encode(new Uint8Array(signature))}`;
}

describe("an access token", () => {
  it("authenticates the session that it names", async () => {
    expect(await statusOf(session.tokens.accessToken)).toBe(200);
    expect(await statusOf(await forge({}))).toBe(200);
  });

  it("with the algorithm none is refused", async () => {
    const token = new UnsecuredJWT(claims()).setIssuer(publicUrl).setAudience(`${publicUrl}/session`);
    expect(await statusOf(token.setIssuedAt().setExpirationTime("1h").encode())).toBe(401);
    const [, payload = "", signature = ""] = (await forge({})).split(".");
    for (const alg of ["none", "None", "NONE", ""]) {
      const header = base64url.encode(JSON.stringify({ alg, typ: "session", kid: "1" }));
      expect(await statusOf(`${header}.${payload}.${signature}`), alg).toBe(401);
      expect(await statusOf(`${header}.${payload}.`), alg).toBe(401);
    }
  });

  it("with another algorithm is refused, also one signed by the same secret", async () => {
    const secret = crypto.getRandomValues(new Uint8Array(64));
    for (const alg of ["HS384", "HS512"]) {
      const token = new SignJWT(claims()).setProtectedHeader({ alg, typ: "session", kid: "1" });
      expect(await statusOf(await token.sign(secret)), alg).toBe(401);
    }
    const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ])) as CryptoKeyPair;
    const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const withKey = new SignJWT(claims()).setProtectedHeader({
      alg: "ES256",
      typ: "session",
      kid: "1",
      jwk: jwk as never,
    });
    expect(await statusOf(await withKey.sign(pair.privateKey))).toBe(401);
  });

  it("that names its own key, or a header that must be understood, is refused", async () => {
    expect(await statusOf(await forge({ kid: "2" }))).toBe(401);
    expect(await statusOf(await forge({ kid: "../../dev/null" }))).toBe(401);
    expect(await statusOf(await forge({ kid: undefined }))).toBe(401);
    const own = new SignJWT(claims()).setProtectedHeader({
      alg: "HS256",
      typ: "session",
      kid: "1",
      jku: "https://attacker.example/keys",
    });
    expect(await statusOf(await own.sign(new Uint8Array(32)))).toBe(401);
    expect(await statusOf(await forge({ crit: ["svc"], svc: 1 }))).toBe(401);
    expect(await statusOf(await forge({ crit: ["b64"], b64: false }))).toBe(401);
    for (const alg of ["none", "HS512", "RS256", "", null, 1])
      expect(await statusOf(await forge({ alg })), String(alg)).toBe(401);
  });

  it("of another type, audience or issuer is refused", async () => {
    for (const typ of ["mailbox_access", "JWT", "at+jwt", undefined])
      expect(await statusOf(await forge({ typ }))).toBe(401);
    for (const aud of [`${publicUrl}/mailbox_access`, publicUrl, "", [], undefined])
      expect(await statusOf(await forge({}, { aud })), JSON.stringify(aud)).toBe(401);
    for (const iss of ["https://attacker.example", `${publicUrl}/`, undefined])
      expect(await statusOf(await forge({}, { iss })), iss).toBe(401);
  });

  it("without one of its claims, or with claims of another type, is refused", async () => {
    for (const claim of ["sub", "sid", "wid", "iat", "exp"])
      expect(await statusOf(await forge({}, { [claim]: undefined })), claim).toBe(401);
    for (const value of [1, null, {}, ["x"], true])
      for (const claim of ["sub", "sid", "wid"])
        expect(await statusOf(await forge({}, { [claim]: value })), `${claim} ${JSON.stringify(value)}`).toBe(401);
  });

  it("with any edited character is refused", async () => {
    const token = session.tokens.accessToken;
    for (let at = 0; at < token.length; at += 1) {
      const edited = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      expect(await verifyAccessToken(ctx, "session", edited), `character ${at}`).toBeNull();
    }
  });

  it("in another base64url form of the same bytes is refused", async () => {
    const token = session.tokens.accessToken;
    // The last character of a signature of 32 bytes has two bits that decoders ignore.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(token.at(-1) ?? "");
    const other = `${token.slice(0, -1)}${alphabet[last ^ 1]}`;
    expect(base64url.decode(other.split(".")[2] ?? "")).toEqual(base64url.decode(token.split(".")[2] ?? ""));
    for (const form of ["a.b.c", "a..c", "..", "a.b", "é.b.c", "x".repeat(100_000)])
      expect(await verifyAccessToken(ctx, "session", form)).toBeNull();
    for (const form of [other, `${token}=`, ` ${token}`, `${token}.`, token.replaceAll(".", ".."), `${token}\n`])
      expect(await verifyAccessToken(ctx, "session", form)).toBeNull();
  });

  it("is valid for 60 minutes, to the second", async () => {
    const issuedAt = Math.floor(Date.now() / 1000) * 1000;
    const at = (ms: number) => testContext({}, () => ms);
    const { token, expiresAt } = await signAccessToken(at(issuedAt), "session", claims());
    expect(expiresAt).toBe(issuedAt + 3_600_000);
    expect(ACCESS_TOKEN_TTL_MS).toBe(3_600_000);
    expect(await verifyAccessToken(at(expiresAt - 1000), "session", token)).toMatchObject(claims());
    expect(await verifyAccessToken(at(expiresAt), "session", token)).toBeNull();
  });

  it("is refused once its master key is removed, and accepted while a newer one is added", async () => {
    const fresh = `2:${btoa("y".repeat(32))}`;
    const { token } = await signAccessToken(ctx, "session", claims());
    const both = testContext({ MASTER_KEYS: `${(env as unknown as Record<string, string>).MASTER_KEYS},${fresh}` });
    expect(await verifyAccessToken(both, "session", token)).toMatchObject(claims());
    expect(await verifyAccessToken(testContext({ MASTER_KEYS: fresh }), "session", token)).toBeNull();
  });
});

describe("the kinds of tokens", () => {
  it("are refused in the place of each other", async () => {
    const { accessToken, refreshToken } = session.tokens;
    const mailbox = (await signAccessToken(ctx, "mailbox_access", claims())).token;
    for (const other of [refreshToken, mailbox, workspace.apiKey]) expect(await statusOf(other)).toBe(401);
    for (const other of [accessToken, refreshToken, mailbox]) {
      expect((await apiWith(other).get("/v1/me")).status).toBe(401);
    }
    for (const other of [accessToken, mailbox, workspace.apiKey]) {
      const response = await apiWithCookies({ refresh: other }).post("/auth/refresh", undefined);
      expect(response.status).toBe(401);
    }
    expect(await verifyAccessToken(ctx, "mailbox_access", accessToken)).toBeNull();
  });
});
