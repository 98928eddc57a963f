import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Domain } from "../../dev/dns/list-domains.ts";
import { respondLocalCall } from "../../dev/worker/local-calls.ts";
import { aSandbox } from "../support/sandbox.ts";
import { aWorkspace } from "../support/workspace.ts";

const SECRET = "gateway-secret-of-the-tests-0123456789";

type Listed = Domain & { id: string };

function call(path: string, key = SECRET): Promise<Response> {
  const request = new Request(`http://127.0.0.1${path}`, { headers: { Authorization: `Bearer ${key}` } });
  return respondLocalCall(request, env, createExecutionContext());
}

const list = async (query: string) => (await call(`/dev/domains/?${query}`)).json<Listed[]>();

describe("the calls of the local service to its Worker", () => {
  it("list the domains of all workspaces as the API shows them, newest first and by pages", async () => {
    const workspaces = [await aWorkspace(), await aWorkspace()];
    for (const setup of ["manual", "delegated"])
      for (const { domain, post } of workspaces)
        expect((await post("/v1/domains/", { name: `${setup}.${domain}`, setup })).status).toBe(201);
    const shown = await Promise.all(workspaces.map(async ({ get }) => (await get("/v1/domains/")).json<Listed[]>()));
    const newest = shown.flat().toSorted((a, b) => (a.id < b.id ? 1 : -1));
    expect(newest).toHaveLength(6);
    expect(await list("limit=500&page=0")).toEqual(expect.arrayContaining(newest));
    const pages = [await list("limit=2&page=0"), await list("limit=2&page=1")];
    expect(pages.map(({ length }) => length)).toEqual([2, 2]);
    const ids = pages.flat().map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().reverse());
    expect(new Set(ids).size).toBe(4);
  });

  it("leave out test domains, whose records the zone of the DNS API has", async () => {
    const { domain } = await aSandbox();
    expect((await list("")).map(({ name }) => name)).not.toContain(domain);
  });

  it("are refused without the secret of the service, and unknown ones are not found", async () => {
    for (const key of ["", "another"]) expect((await call("/dev/domains/", key)).status).toBe(403);
    expect((await call("/dev/domains")).status).toBe(404);
  });
});
