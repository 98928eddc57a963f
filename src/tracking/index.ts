export { type HitMessage, isHitMessage } from "./hit.ts";
export { recordHits } from "./record-hits.ts";
export { type Tracking, trackingOf } from "./rules.ts";
export type { TrackedMail } from "./token.ts";
export { trackHtml } from "./track-html.ts";
