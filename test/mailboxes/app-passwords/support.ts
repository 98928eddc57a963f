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
  token: string;
}

async function post(path: string, body: unknown): Promise<ImapResponse> {
  const response = await apiWith(null).post(`/gateway/imap/${path}`, body, GATEWAY_HEADERS);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<ImapResponse>();
}

/** Logs in as the gateway does for a mail program. */
export const logInToImap = (username: string, password: string, ip = "192.0.2.9") =>
  post("sessions", { username, password, ip });

/** Renews the session of a mail program. */
export const renewImap = (token: string) => post("renewals", { token });
