import { namedEgresses } from "./named-egresses.ts";
import type { aSession } from "./sessions.ts";
import { apiOn, type apiWith, type TestWorkspace, testContext } from "./workspace.ts";

interface Callers {
  session: Awaited<ReturnType<typeof aSession>>;
  workspace: TestWorkspace;
}

/** Returns the caller of an operation whose example needs other settings of the Worker; null: it needs none. */
export function withSettings(
  operationId: string,
  { session, workspace }: Callers,
): Pick<ReturnType<typeof apiWith>, "call"> | null {
  // The response that creates a webhook has a warning otherwise.
  if (operationId === "createWebhook") return apiOn({ LIVE_WEBHOOKS: "on" }, workspace.apiKey);
  if (!operationId.endsWith("Egress")) return null;
  const api = apiOn({ NAMED_EGRESS_URLS: namedEgresses({ east: "smtp://127.0.0.1:1/?tls=off" }) }, null);
  const credentials = {
    Cookie: `session=${session.tokens.accessToken}`,
    Origin: testContext().settings.publicUrl,
  };
  return { call: (method, path, body, headers) => api.call(method, path, body, { ...headers, ...credentials }) };
}
