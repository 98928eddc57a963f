export { type HitMessage, isHitMessage } from "./hit.ts";
export { recordHits } from "./record-hits.ts";
export { trackingRoutes } from "./routes.tsx";
export { resolveTracking } from "./rules.ts";
export { MAX_TRACKED_LINKS, trackHtml } from "./track-html.ts";
