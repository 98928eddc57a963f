import { env } from "cloudflare:workers";
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

/** Inserts an active credential without a password, which saves the time of scrypt. Returns its id. */
export async function insertCredential(
  workspace: Pick<TestWorkspace, "workspaceNumber" | "userId">,
  { domain_id }: { domain_id: string },
): Promise<string> {
  const id = testContext().newId();
  await env.DB.prepare(
    "INSERT INTO smtp_credentials (id, workspace, domain_id, user_id, username, created_at) VALUES (?1, ?2, ?3, ?4, 'user', 0)",
  )
    .bind(id, workspace.workspaceNumber, domain_id, workspace.userId)
    .run();
  return id;
}
