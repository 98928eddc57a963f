import { expect } from "vitest";

/** Returns the JSON of a response. Fails with its text, and with `about`, unless it has this status. */
export async function expectJson<Out>(
  responded: Response | Promise<Response>,
  status: number,
  about = "",
): Promise<Out> {
  const response = await responded;
  expect(response.status, `${about} ${await response.clone().text()}`.trim()).toBe(status);
  return response.json<Out>();
}
