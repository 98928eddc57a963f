import { aWorkspace } from "../../support/workspace.ts";
import { aRawMessage, deliver } from "../inbound/support.ts";

export interface Item {
  uid: number;
  folder: string;
  thread_id: string;
  subject: string;
  seen: boolean;
  flagged: boolean;
  labels: string[];
}

/** Creates a workspace and returns it with functions that call the inbox API of its mailbox. */
export async function anInbox() {
  const workspace = await aWorkspace();
  const path = (suffix: string) => `/v1/inbox/${workspace.mailboxId}${suffix}`;
  const call = (method: string, suffix: string, body?: unknown) => workspace.call(method, path(suffix), body);
  const json = async <Body>(method: string, suffix: string, body?: unknown) => {
    const response = await call(method, suffix, body);
    if (!response.ok) throw new Error(`${method} ${suffix}: ${response.status} ${await response.text()}`);
    return response.json<Body>();
  };
  return {
    workspace,
    path,
    call,
    json,
    receive: (changes: Record<string, string | undefined> = {}, body?: string) =>
      deliver(workspace.mailbox, aRawMessage(changes, body)),
    list: async (folder = "INBOX") => (await json<{ items: Item[] }>("GET", `/messages?folder=${folder}`)).items,
  };
}

export type Inbox = Awaited<ReturnType<typeof anInbox>>;
