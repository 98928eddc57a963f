export { enabledProviders } from "./list.ts";
export { ProviderError } from "./profile.ts";
export { beginProviderSignIn, completeProviderSignIn } from "./sign-in.ts";
export { openState, STATE_TTL_MS } from "./state.ts";
