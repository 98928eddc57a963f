import { expect } from "vitest";
import type { Inbox } from "../support.ts";

export interface ShownFilter {
  id: string;
  name: string | null;
  match: { mode: string; conditions: unknown[] };
  actions: { type: string; folder?: string; is_confirmed?: boolean; maker_id?: string | null }[];
  position: number;
  is_active: boolean;
}

export const subject = (value: string) => ({ field: "subject", op: "contains", value });

/** Creates a filter that takes messages with a text in their subject. */
export async function aFilter(
  inbox: Inbox,
  text: string,
  actions: object[],
  more: Record<string, unknown> = {},
): Promise<ShownFilter> {
  const body = { match: { conditions: [subject(text)] }, actions, ...more };
  const response = await inbox.call("POST", "/filters", body);
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<ShownFilter>();
}
