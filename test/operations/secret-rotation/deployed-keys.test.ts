import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { findKeyRefusal } from "../../../dev/rotation/compare-keys.ts";
import { type AccessTokenKind, signAccessToken } from "../../../src/access/sessions/access-token.ts";
import type { DeployedKeys } from "../../../src/operations/secret-rotation/deployed-keys.ts";
import { fingerprintKeys } from "../../../src/operations/secret-rotation/fingerprint-keys.ts";
import { aSession } from "../../support/sessions.ts";
import { apiOn, aWorkspace, testContext } from "../../support/workspace.ts";

const OLD = (env as unknown as Record<string, string>).MASTER_KEYS ?? "";
const NEW = `2:${btoa("f".repeat(32))}`;
const bindings = { MASTER_KEYS: `${OLD},${NEW}` };

/** Calls the endpoint as `npm run deploy` does. */
async function ask(settings: Record<string, string> = bindings, kind: AccessTokenKind = "rotation", body?: string) {
  const { token } = await signAccessToken(testContext(settings), kind, { sub: "operator", sid: "-", wid: "-" });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return apiOn(bindings, null).call("POST", "/auth/master-keys", body, headers);
}

describe("POST /auth/master-keys", () => {
  it("tells an operator the keys by fingerprint, the one in use first, and which of them stored secrets need", async () => {
    await aWorkspace();
    const response = await ask();
    expect(response.status).toBe(200);
    const text = await response.text();
    const { fingerprints, sealed_under } = JSON.parse(text) as DeployedKeys;
    const { masterKeys } = testContext(bindings).settings;
    expect(fingerprints).toEqual(await fingerprintKeys(masterKeys));
    expect(fingerprints.map((one) => one.split(".")[0])).toEqual(["2", "1"]);
    expect(sealed_under).toContain(1);
    for (const { key } of masterKeys) expect(text).not.toContain(key);
    // The signature of any key that the Worker has is enough: a file from before a rotation is told so.
    expect((await ask({ MASTER_KEYS: OLD })).status).toBe(200);
  });

  it("refuses who has no master key, for whatever purpose and with whatever body", async () => {
    const session = await aSession(await aWorkspace());
    const call = (headers: Record<string, string>) =>
      apiOn(bindings, null).call("POST", "/auth/master-keys", "x", headers);
    expect((await call({})).status).toBe(401);
    for (const token of ["x", "a.b.c", session.tokens.accessToken])
      expect((await call({ Authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await ask({ MASTER_KEYS: `1:${btoa("x".repeat(32))}` })).status).toBe(401);
    for (const kind of ["session", "operator", "bootstrap", "backup"] as const)
      expect((await ask(bindings, kind)).status, kind).toBe(401);
    expect((await ask(bindings, "rotation", "x".repeat(1_000_000))).status).toBe(200);
  });
});

describe("a file of secrets", () => {
  const deployed = (fingerprints: string[], sealed_under: number[] | null = null) => ({ fingerprints, sealed_under });

  it.each([
    ["has the same keys", ["1.a"], deployed(["1.a"]), null],
    ["has a newer key that is not in use", ["1.a", "2.b"], deployed(["1.a"]), null],
    ["uses the newer key that the Worker knows", ["2.b", "1.a"], deployed(["1.a", "2.b"], [1]), null],
    ["has no older key, which no secret needs", ["2.b"], deployed(["2.b", "1.a"], [2]), null],
    ["has no key that the Worker lacks too", ["2.b"], deployed(["2.b"], [1, 2]), null],
    [
      "has no older key, which a secret needs",
      ["2.b"],
      deployed(["2.b", "1.a"], [1, 2]),
      "under key 1, which it lacks",
    ],
    ["has no key in use", ["1.a"], deployed(["2.b", "1.a"]), "it has key 1, and the Worker uses key 2"],
    ["has no key that was added", ["1.a"], deployed(["1.a", "2.b"]), "the Worker has key 2 too"],
    ["uses the older key", ["1.a", "2.b"], deployed(["2.b", "1.a"]), "it uses key 1, and the Worker uses key 2"],
    ["uses an unknown key", ["3.c", "2.b"], deployed(["2.b"]), "it uses key 3, which the Worker does not know yet"],
    ["has another key of the number", ["1.a", "2.x"], deployed(["1.a", "2.b"]), "its key 2 is another one"],
  ] as const)("that %s may be deployed only if every stored secret opens then", (_, own, result, reason) => {
    const refusal = findKeyRefusal(own, result);
    if (reason === null) expect(refusal).toBeNull();
    else expect(refusal).toContain(reason);
  });
});
