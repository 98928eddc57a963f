import { env } from "cloudflare:workers";
import { hashed, PASSWORD } from "./hashed-password.ts";
import { type TestWorkspace, testContext } from "./workspace.ts";

/** The body of a created SMTP credential. */
export interface NewCredential {
  id: string;
  username: string;
  password: string;
  smtp_host: string;
  smtp_port: number;
  created_at: string;
}

/** Creates the SMTP credential of a workspace's domain by the API. */
export async function aCredential(
  workspace: Pick<TestWorkspace, "post" | "domainId">,
  domainId = workspace.domainId,
): Promise<NewCredential> {
  const response = await workspace.post("/v1/smtp-credentials/", { domain_id: domainId });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<NewCredential>();
}

/** Inserts an active credential. Logins with it take the time of scrypt once in an isolate. */
export async function insertCredential(
  { workspaceNumber, userId }: Pick<TestWorkspace, "workspaceNumber" | "userId">,
  { domain_id }: { domain_id: string },
): Promise<Pick<NewCredential, "id" | "username" | "password">> {
  const id = testContext().newId();
  const credential = { id, username: `${id}@credential.example`, password: PASSWORD };
  const insert = `
    INSERT INTO smtp_credentials (id, workspace, domain_id, user_id, username, hash, created_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)`;
  const values = [id, workspaceNumber, domain_id, userId, credential.username, await hashed];
  await env.DB.prepare(insert)
    .bind(...values)
    .run();
  return credential;
}
