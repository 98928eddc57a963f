import { newApiKey } from "../../src/accounts/api-key.ts";
import { aKey, type TestWorkspace, testContext } from "../support/workspace.ts";

/** Returns invalid Authorization headers, each with a description. */
export async function invalidCredentials(workspace: TestWorkspace): Promise<[string, string | null][]> {
  const { apiKey } = workspace;
  const past = Date.now() - 1;
  const mistyped = `${apiKey.slice(0, -1)}${apiKey.endsWith("0") ? "1" : "0"}`;
  const formerMember = await createFormerMember(workspace);
  return [
    ["none", null],
    ["another scheme", `Basic ${btoa(`${apiKey}:`)}`],
    ["no token", "Bearer"],
    ["no scheme", apiKey],
    ["two tokens", `Bearer ${apiKey} ${apiKey}`],
    ["not a key", "Bearer abc"],
    ["mistyped", `Bearer ${mistyped}`],
    ["cut", `Bearer ${apiKey.slice(0, -4)}`],
    ["never issued", `Bearer ${newApiKey()}`],
    ["revoked", `Bearer ${await aKey(workspace, { revokedAt: past })}`],
    ["expired", `Bearer ${await aKey(workspace, { expiresAt: past })}`],
    ["of a user who left the workspace", `Bearer ${await aKey(workspace, { userId: formerMember })}`],
  ];
}

/** Creates a user without a membership and returns its id. */
async function createFormerMember({ domain }: TestWorkspace): Promise<string> {
  const ctx = testContext();
  const id = ctx.newId();
  await ctx.db
    .prepare("INSERT INTO users (id, email, email_key, created_at) VALUES (?1, ?2, ?2, ?3)")
    .bind(id, `${id}@${domain}`, ctx.now())
    .run();
  return id;
}
