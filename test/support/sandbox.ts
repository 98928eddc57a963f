import { expect } from "vitest";
import { database, FILE_SHARD } from "./databases.ts";
import { aSession } from "./sessions.ts";
import { settingsOfZone } from "./test-zones.ts";
import { aKey, apiOn, aWorkspace, testContext } from "./workspace.ts";

/** Variables of a deployment that gives each new workspace a test domain. */
export const SANDBOX = { ...settingsOfZone("sandbox-zone.test", 3_500), SANDBOX_DOMAIN: "try.sandbox-zone.test" };

interface SandboxRow {
  workspaceNumber: number;
  domainId: string;
  domain: string;
  mailboxId: string;
  mailbox: string;
}

const FIND = `
  SELECT w.number AS workspaceNumber, d.id AS domainId, d.name AS domain, m.id AS mailboxId, m.address AS mailbox
    FROM workspaces w JOIN domains d ON d.workspace = w.number JOIN mailboxes m ON m.domain_id = d.id WHERE w.id = ?1`;

/**
 * Creates a workspace with a test domain by the API, in a deployment that has these variables, and returns it with functions that call
 * the API with a key of its owner. Its emails wait until the test delivers them, and are in the mail database of the test file.
 */
export async function aSandbox({ name = "Acme", settings = SANDBOX as Record<string, string> } = {}) {
  const creator = await aWorkspace();
  const { tokens } = await aSession(creator);
  const cookies = { Cookie: `session=${tokens.accessToken}`, Origin: "http://api.test" };
  const response = await apiOn(settings, null).post("/v1/workspaces/", { name }, cookies);
  expect(response.status, await response.clone().text()).toBe(201);
  const { id: workspaceId, slug } = await response.json<{ id: string; slug: string }>();
  const row = await database.prepare(FIND).bind(workspaceId).first<SandboxRow>();
  if (!row) throw new Error("the workspace has no test domain");
  const place = "UPDATE workspaces SET mail_shards = json_array(?2) WHERE id = ?1";
  await database.prepare(place).bind(workspaceId, FILE_SHARD).run();
  const { userId } = creator;
  const email = `owner@${creator.domain}`;
  const apiKey = await aKey({ ...row, userId });
  return {
    ...creator,
    ...row,
    workspaceId,
    slug,
    userId,
    email,
    apiKey,
    ...apiOn({ ...settings, WORK: queue }, apiKey),
  };
}

const queue = { send: async () => {}, sendBatch: async () => {} };

export type Sandbox = Awaited<ReturnType<typeof aSandbox>>;

/** Ends the membership of a user, as removing a member does. */
export const endMembership = ({ workspaceNumber }: Sandbox, userId: string) =>
  database.run("DELETE FROM memberships WHERE workspace = ?1 AND user_id = ?2", [workspaceNumber, userId]);

export const contextOf = (ms = 0) => testContext(SANDBOX, () => Date.now() + ms);
