import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import { apiWith, type TestWorkspace } from "../../support/workspace.ts";

export interface Created {
  id: string;
  name: string;
  password: string;
  created_at: string;
}

/** Makes an app password of the mailbox of a workspace. */
export async function anAppPassword(
  workspace: Pick<TestWorkspace, "mailboxId" | "post">,
  { name = "A program" } = {},
): Promise<Created> {
  const response = await workspace.post(`/v1/mailboxes/${workspace.mailboxId}/app-passwords`, { name });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<Created>();
}

interface ImapResponse {
  error: { code: string; text: string } | null;
  access: ImapAccess;
}

/** The mailbox and secret of a login, as the gateway sends them with each call. */
export interface ImapAccess {
  id: string;
  secret: string;
}

async function post<Body>(path: string, body: unknown): Promise<Body> {
  const response = await apiWith(null).post(`/gateway/${path}`, body, GATEWAY_HEADERS);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<Body>();
}

/** Logs in as the gateway does for a mail program. */
export const logInToImap = (username: string, password: string, ip = "192.0.2.9") =>
  post<ImapResponse>("imap/sessions", { username, password, ip });

/** Returns the indexes of the accesses of open connections that have ended. */
export const findEnded = async (...accesses: readonly ImapAccess[]) =>
  (await post<{ ended: number[] }>("accesses", { accesses })).ended;
