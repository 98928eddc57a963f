import type { Settings } from "../../../platform/settings/settings.ts";

export type Provider = "google" | "github";

/** Returns the identity providers that the deployment is registered at. */
export function enabledProviders(settings: Settings): Provider[] {
  return (["google", "github"] as const).filter((provider) => settings[provider].clientId !== "");
}
