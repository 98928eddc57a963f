/** Calls to D1 that wait for each other: each is a round trip in production. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { Meter, metered } from "../../support/meter.ts";
import { formatCalls, Trace } from "../../support/trace.ts";
import { aMail, apiOn, aWorkspace, discardingQueue } from "../../support/workspace.ts";

/** Calls the API, and returns its response with the calls to D1 in their order. */
async function traced(key: string, method: "get" | "post", path: string, body?: object) {
  const trace = new Trace();
  const { DB, MAIL_0, MAIL_1 } = env;
  const bindings = metered({ DB, MAIL_0, MAIL_1 } as Env, new Meter(), trace);
  const api = apiOn({ ...bindings, WORK: discardingQueue }, key);
  const response = method === "get" ? await api.get(path) : await api.post(path, body);
  const { calls } = trace.read();
  return { response, order: formatCalls(calls) };
}

it("a search makes three round trips: the credential, the emails by index and those not indexed yet, their rows", async () => {
  const workspace = await aWorkspace();
  await traced(workspace.apiKey, "post", "/v1/emails/", aMail(workspace, { subject: "Invoice 7" }));
  const { response, order } = await traced(workspace.apiKey, "get", "/v1/emails/search?q=invoice");
  expect(await response.json()).toMatchObject([{ subject: "Invoice 7" }]);
  expect(order).toBe("D1 all > D1 batch of 2 > D1 raw");
});

it("a contact is added in four round trips: its list is read with the state of its address", async () => {
  const workspace = await aWorkspace();
  const { id } = await workspace.create("/v1/contacts/", { name: "Hops" });
  const { response, order } = await traced(workspace.apiKey, "post", `/v1/contacts/${id}/contacts`, {
    email: "hops@example.org",
  });
  expect(response.status).toBe(201);
  expect(order).toBe("D1 all > D1 all + D1 batch of 1 > D1 batch of 4 > D1 batch of 1");
});
