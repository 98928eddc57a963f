import { randomBytes } from "node:crypto";
import { importBundled } from "./import-bundled.ts";

/** Returns the OpenAPI document of the app. Throws when the app does not return it. */
export async function readOpenApiDocument(): Promise<unknown> {
  const { app } = await importBundled<typeof import("../src/app.ts")>("src/app.ts");
  // The Worker returns no request without a master key. The document does not depend on it.
  const settings = { MASTER_KEYS: `1:${randomBytes(32).toString("base64")}` };
  const response = await app.request("/openapi.json", {}, settings);
  if (!response.ok) throw new Error(`/openapi.json responded with ${response.status}: ${await response.text()}`);
  return response.json();
}
