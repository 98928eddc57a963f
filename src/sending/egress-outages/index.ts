export { notifyOfOutages } from "./notify-of-outages.ts";
export { hasResponded } from "./rules.ts";
export { findLastResponse, recordResponse } from "./state.ts";
export { watchEgress } from "./watch-egress.ts";
