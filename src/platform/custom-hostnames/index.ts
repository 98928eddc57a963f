import type { Settings } from "../settings/settings.ts";
import { cloudflareHostnames } from "./cloudflare.ts";
import type { CustomHostnames } from "./port.ts";

export type { CustomHostname, CustomHostnames, HostnameResult } from "./port.ts";

/** Returns the custom hostnames of the deployment; null: it offers none, since one of its settings is empty. */
export function customHostnames({ hostnames }: Pick<Settings, "hostnames">): CustomHostnames | null {
  return hostnames && cloudflareHostnames(hostnames);
}
