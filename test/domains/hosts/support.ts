import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../../src/app.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { advanceHosts } from "../../../src/domains/hosts/index.ts";
import { publish, unpublish } from "../../support/dns-control.ts";
import { publishRecords } from "../../support/domains.ts";
import { hostSettings } from "../../support/hostnames.ts";
import { type apiOn as ApiOn, apiOn, aWorkspace, testContext } from "../../support/workspace.ts";

export type Api = ReturnType<typeof ApiOn>;

/** A workspace on a deployment with hosts, whose domain has all records published. `prefix`: of the domain. */
export async function aHostWorkspace(prefix = "", token = "token") {
  const name = `${prefix}${crypto.randomUUID().slice(0, 8)}.example`;
  const workspace = await aWorkspace({ domain: name });
  const api = apiOn(hostSettings(token), workspace.apiKey);
  const registered = await domainOf(api, workspace.domainId);
  await publishRecords(registered);
  return { ...workspace, api, registered, host: `links.${name}` };
}

export const domainOf = async (api: Api, id: string): Promise<DomainOut> => (await api.get(`/v1/domains/${id}`)).json();

export async function verifyWith(api: Api, id: string) {
  const response = await api.post(`/v1/domains/${id}/verify`, undefined);
  return { status: response.status, domain: await response.json<DomainOut>() };
}

/** Runs the cron job at a time from now, in milliseconds. */
export const advanceIn = (ms: number, token = "token") =>
  advanceHosts(testContext(hostSettings(token), () => Date.now() + ms));

/** A workspace whose host of links is active. */
export async function anActiveHost() {
  const made = await aHostWorkspace();
  await verifyWith(made.api, made.domainId);
  await verifyWith(made.api, made.domainId);
  const { domain } = await verifyWith(made.api, made.domainId);
  if (domain.link_host?.status !== "active") throw new Error(JSON.stringify(domain.link_host));
  return made;
}

/** Points the CNAME of a host elsewhere. */
export async function pointElsewhere(host: string) {
  await unpublish(host);
  await publish([{ type: "CNAME", name: host, value: "elsewhere.test" }]);
}

/** Calls the Worker at a host, on a deployment with hosts. */
export async function requestAt(
  host: string,
  path: string,
  { bindings = {}, ...init }: RequestInit & { bindings?: Record<string, unknown> } = {},
): Promise<Response> {
  const execution = createExecutionContext();
  const request = new Request(`http://${host}${path}`, { redirect: "manual", ...init });
  const response = await app.fetch(request, { ...env, ...hostSettings(), ...bindings } as Env, execution);
  await waitOnExecutionContext(execution);
  return response;
}
