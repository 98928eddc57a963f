export { notifyOfOutages } from "./notify-of-outages.ts";
export { hasAnswered } from "./rules.ts";
export { findLastAnswer, recordAnswer } from "./state.ts";
export { watchEgress } from "./watch-egress.ts";
