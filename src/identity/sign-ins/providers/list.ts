import type { Settings } from "../../../platform/settings/settings.ts";
import type { Provider } from "../linked-accounts/index.ts";

/** Returns the identity providers that the deployment is registered at. */
export function enabledProviders(settings: Settings): Provider[] {
  return (["google", "github"] as const).filter((provider) => settings[provider].clientId !== "");
}
