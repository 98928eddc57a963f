import type { Settings } from "../../../platform/settings/settings.ts";
import type { Provider } from "../linked-accounts/index.ts";

/** Returns the identity providers that the deployment is registered at. */
export const enabledProviders = (settings: Settings): Provider[] =>
  (["google", "github"] as const).filter((provider) => settings[provider].clientId !== "");
