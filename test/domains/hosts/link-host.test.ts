import { describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { unpublish } from "../../support/dns-control.ts";
import { publishRecords } from "../../support/domains.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { shortenTimeouts } from "../../support/short-timeouts.ts";
import { apiOn, aWorkspace } from "../../support/workspace.ts";
import { advanceIn, aHostWorkspace, anActiveHost, domainOf, pointElsewhere, verifyWith } from "./support.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

const rowOf = (host: string) =>
  database.row<{ status: string; problem: string | null; hostname_id: string | null }>(
    "SELECT status, problem, hostname_id FROM custom_hosts WHERE name = ?1",
    [host],
  );

/** Returns the ids of the custom hostnames that the stand-in has for a host. */
async function hostnamesAt(host: string): Promise<string[]> {
  const { HOSTNAME_API_URL: url } = hostSettings();
  const response = await fetch(`${url}/zones/zone/custom_hostnames?hostname=${host}`, {
    headers: { Authorization: "Bearer token" },
  });
  return (await response.json<{ result: { id: string }[] }>()).result.map(({ id }) => id);
}

describe("the host of links of a domain", () => {
  it("is null, without a record, on a deployment without a zone for hosts", async () => {
    const workspace = await aWorkspace();
    const domain = await domainOf(workspace as never, workspace.domainId);
    expect(domain.link_host).toBeNull();
    expect(domain.records.map(({ purpose }) => purpose)).not.toContain("link_host");
  });

  it("becomes active once its CNAME is published and its certificate is issued", async () => {
    const { api, domainId, registered: domain, host } = await aHostWorkspace();
    expect(domain.records).toContainEqual(
      expect.objectContaining({
        purpose: "link_host",
        type: "CNAME",
        name: host,
        value: "links.zone.test",
        required: false,
      }),
    );
    expect(domain.link_host).toEqual({
      name: host,
      status: "pending",
      detail: expect.stringContaining("Publish its CNAME"),
    });
    const first = await verifyWith(api, domainId);
    expect(first.domain.link_host).toEqual({
      name: host,
      status: "pending",
      detail: expect.stringContaining("certificate"),
    });
    await advanceIn(2 * MINUTE);
    await advanceIn(4 * MINUTE);
    expect((await domainOf(api, domainId)).link_host).toEqual({ name: host, status: "active", detail: null });
  });

  it("is not created before its CNAME is found", async () => {
    const made = await aHostWorkspace();
    await unpublish(made.host);
    const { domain } = await verifyWith(made.api, made.domainId);
    expect(domain.link_host?.status).toBe("pending");
    expect([await rowOf(made.host), await hostnamesAt(made.host)]).toEqual([null, []]);
  });

  it("is not created for a domain that is not verified", async () => {
    const { apiKey } = await aWorkspace();
    const api = apiOn(hostSettings(), apiKey);
    const name = `p${crypto.randomUUID().slice(0, 8)}.example`;
    const domain = await (await api.post("/v1/domains/", { name })).json<Awaited<ReturnType<typeof domainOf>>>();
    await publishRecords(domain, ["link_host"]);
    await verifyWith(api, domain.id);
    expect(await rowOf(`links.${name}`)).toBeNull();
  });

  it("fails when its CNAME leads elsewhere, and is active again when it returns", async () => {
    const { api, domainId, registered: domain, host } = await anActiveHost();
    await pointElsewhere(host);
    const failed = await verifyWith(api, domainId);
    expect(failed.domain.link_host).toEqual({
      name: host,
      status: "failed",
      detail: expect.stringContaining("CNAME record"),
    });
    await advanceIn(2 * DAY);
    expect((await rowOf(host))?.problem).toBe("record");
    await unpublish(host);
    await publishRecords(domain, ["link_host"]);
    await verifyWith(api, domainId);
    expect((await verifyWith(api, domainId)).domain.link_host?.status).toBe("active");
  });

  it("fails when Cloudflare says that it moved, without a check of DNS", async () => {
    const { api, domainId, host } = await anActiveHost();
    await pointElsewhere(host);
    await advanceIn(2 * DAY);
    expect((await domainOf(api, domainId)).link_host).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("no longer leads here"),
    });
  });

  it.each([
    ["taken-", "Another account"],
    ["blocked-", "abuse block"],
  ])("fails when the name is %s", async (prefix, detail) => {
    const { api, domainId } = await aHostWorkspace(prefix);
    await verifyWith(api, domainId);
    const { domain } = await verifyWith(api, domainId);
    expect(domain.link_host).toMatchObject({ status: "failed", detail: expect.stringContaining(detail) });
  });

  it("starts a certificate again whose validation has ended", async () => {
    const { api, domainId } = await aHostWorkspace("expired-");
    expect((await verifyWith(api, domainId)).domain.link_host?.status).toBe("pending");
    for (const hours of [1, 3, 5, 7]) await advanceIn(hours * 60 * MINUTE + MINUTE);
    expect((await domainOf(api, domainId)).link_host?.status).toBe("active");
  });

  it("is created once by two checks at once", async () => {
    const { api, domainId, host } = await aHostWorkspace();
    const both = await Promise.all([verifyWith(api, domainId), verifyWith(api, domainId)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    await advanceIn(6 * MINUTE);
    await advanceIn(12 * MINUTE);
    expect(await hostnamesAt(host)).toHaveLength(1);
    expect(await rowOf(host)).toMatchObject({ status: "active", hostname_id: (await hostnamesAt(host))[0] });
  });

  it.each(["fail-503", "fail-429", "fail-403", "fail-hang"])("stays as it is while the API has %s", async (token) => {
    const { apiKey, domainId, host } = await anActiveHost();
    const before = await rowOf(host);
    if (token === "fail-hang") shortenTimeouts(1_000);
    const { status, domain } = await verifyWith(apiOn(hostSettings(token), apiKey), domainId);
    expect([status, domain.link_host?.status]).toEqual([200, "active"]);
    expect(await rowOf(host)).toMatchObject({ status: "active", hostname_id: before?.hostname_id });
  });

  it("adopts the custom hostname whose response was lost", async () => {
    const { api, apiKey, domainId, host } = await aHostWorkspace();
    await verifyWith(apiOn(hostSettings("fail-lost"), apiKey), domainId);
    expect(await rowOf(host)).toMatchObject({ status: "pending", hostname_id: null });
    const [created] = await hostnamesAt(host);
    await verifyWith(api, domainId);
    expect(await rowOf(host)).toMatchObject({ hostname_id: created });
    expect(await hostnamesAt(host)).toHaveLength(1);
  });

  it("keeps its custom hostname for the next run when its domain is deleted, until the API has deleted it", async () => {
    const { api, domainId, host } = await anActiveHost();
    expect((await api.call("DELETE", `/v1/domains/${domainId}?delete_mailboxes=true`)).status).toBe(204);
    await advanceIn(MINUTE, "fail-503");
    expect((await rowOf(host))?.status).toBe("removing");
    await advanceIn(10 * MINUTE, "fail-lost");
    expect(await hostnamesAt(host)).toEqual([]);
    await advanceIn(20 * MINUTE);
    expect(await rowOf(host)).toBeNull();
  });

  it("is removed with its workspace", async () => {
    const { api, workspaceId, host } = await anActiveHost();
    const response = await api.call("DELETE", `/v1/workspaces/${workspaceId}`);
    expect(response.status, await response.text()).toBe(204);
    for (const minutes of [1, 3]) await advanceIn(minutes * MINUTE);
    expect([await rowOf(host), await hostnamesAt(host)]).toEqual([null, []]);
  });

  it("of a domain of another workspace is not changed or shown by its id", async () => {
    const [made, other] = await Promise.all([anActiveHost(), aWorkspace()]);
    const api = apiOn(hostSettings(), other.apiKey);
    expect((await api.get(`/v1/domains/${made.domainId}`)).status).toBe(404);
    expect((await verifyWith(api, made.domainId)).status).toBe(404);
    expect((await rowOf(made.host))?.status).toBe("active");
  });
});
