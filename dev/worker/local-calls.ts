import { readSettings } from "../../src/platform/settings/settings.ts";
import { respondDomains } from "../dns/respond-domains.ts";
import { respondExample } from "../example/routes.ts";

/** The paths of the calls that only the Worker of the local service has. */
export const LOCAL_CALLS = "/dev/";

/** Responds to a call of the local service to its Worker. Only for callers that know GATEWAY_SECRET, which no web page does. */
export async function respondLocalCall(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  const { gatewaySecret } = readSettings(env);
  if (gatewaySecret === "" || request.headers.get("Authorization") !== `Bearer ${gatewaySecret}`)
    return new Response("Forbidden\n", { status: 403 });
  const { pathname } = new URL(request.url);
  if (pathname === "/dev/domains/") return respondDomains(request, env);
  if (pathname.startsWith("/dev/example")) return respondExample(request, env, execution);
  return new Response("Not found\n", { status: 404 });
}
