import path from "node:path";
import type { Layout } from "../layout.ts";

/** Environment variable of every Worker process; holds its state directory, so that orphan processes can be found. */
export const OWNER_VARIABLE = "EMAIL_DELIVERY_STATE_DIR";

/** Returns environment variables that make wrangler run without prompts, network and telemetry, inside the state directory. */
export function wranglerEnvironment(layout: Layout): Record<string, string> {
  return {
    CI: "1",
    NO_COLOR: "1",
    FORCE_COLOR: "0",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_WRITE_LOGS: "false",
    WRANGLER_REGISTRY_PATH: path.join(layout.stateDir, "registry"),
    WRANGLER_CACHE_DIR: path.join(layout.stateDir, "cache"),
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    CLOUDFLARE_INCLUDE_PROCESS_ENV: "false",
    // Wrangler's trace store costs CPU on each request and grows on disk.
    X_LOCAL_OBSERVABILITY: "false",
    X_LOCAL_EXPLORER: "false",
    [OWNER_VARIABLE]: layout.stateDir,
  };
}
