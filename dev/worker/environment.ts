import path from "node:path";
import type { Layout } from "../layout.ts";

/** Marks every process of a Worker with the state directory it works on, so that one left behind can be found. */
export const OWNER_MARK = "EMAIL_DELIVERY_STATE_DIR";

/** Wrangler without prompts, without the network, without telemetry, and with everything in the state directory. */
export function quietWrangler(layout: Layout): Record<string, string> {
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
    // Its trace store costs CPU on each request and grows on disk.
    X_LOCAL_OBSERVABILITY: "false",
    X_LOCAL_EXPLORER: "false",
    [OWNER_MARK]: layout.stateDir,
  };
}
