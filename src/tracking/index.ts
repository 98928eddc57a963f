export type { TrackedMail } from "../mail-tokens/index.ts";
export { type HitMessage, isHitMessage } from "./hit.ts";
export { recordHits } from "./record-hits.ts";
export { trackingRoutes } from "./routes.ts";
export { isWebUrl, MAX_TARGET_OCTETS, type Tracking, trackingOf } from "./rules.ts";
export { trackHtml } from "./track-html.ts";
