export { type HitMessage, isHitMessage } from "./hit.ts";
export { recordHits } from "./record-hits.ts";
export { trackingRoutes } from "./routes.ts";
export { resolveTracking, type Tracking } from "./rules.ts";
export { MAX_TRACKED_LINKS, type TrackedHtml, trackHtml } from "./track-html.ts";
