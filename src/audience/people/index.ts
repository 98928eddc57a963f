export { erasePerson, getErasure } from "./erase.ts";
export type { ErasureOut } from "./erasure-schema.ts";
export { exportPages } from "./export.ts";
export { readTimeline, type TimelineEntry } from "./timeline.ts";
