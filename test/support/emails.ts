import { expect } from "vitest";
import type { DetailOut } from "../../src/sending/emails/schema.ts";
import { aMail, type apiWith, type TestWorkspace } from "./workspace.ts";

/** The response to an accepted email. */
export interface Accepted {
  id: string;
  status: string;
  message_id: string;
  rejection_reason: string | null;
}

/** Expects 202 and returns the response. */
export async function accepted(response: Response): Promise<Accepted> {
  expect(response.status, await response.clone().text()).toBe(202);
  return response.json<Accepted>();
}

/** Returns an email with its content and events. */
export async function readEmail(workspace: Pick<TestWorkspace, "get">, id: string): Promise<DetailOut> {
  return (await workspace.get(`/v1/emails/${id}`)).json<DetailOut>();
}

/** Returns the types of the events of an email, oldest first. */
export async function eventTypes(workspace: Pick<TestWorkspace, "get">, id: string): Promise<string[]> {
  return (await readEmail(workspace, id)).events.map(({ event_type }) => event_type);
}

/** Returns the time in `ms` milliseconds as ISO 8601. */
export const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Schedules an email for `inMs` milliseconds from now and returns its id. */
export async function scheduleEmail(
  api: Pick<ReturnType<typeof apiWith>, "post">,
  workspace: { mailbox: string },
  inMs: number,
  changes: Record<string, unknown> = {},
): Promise<string> {
  return (await accepted(await api.post("/v1/emails/", aMail(workspace, { send_at: isoIn(inMs), ...changes })))).id;
}
