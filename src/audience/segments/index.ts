export { countSegment, runCounts } from "./count.ts";
export { createSegment } from "./create.ts";
export { ContactsAfter, cursorOf } from "./cursor.ts";
export { deleteSegment } from "./delete.ts";
export { evaluatePage, toEvaluator } from "./evaluate-page.ts";
export { listSegmentContacts } from "./list-contacts.ts";
export { findSegment, getSegment, listSegments, type SegmentRow } from "./queries.ts";
export { limits as segmentLimits } from "./rules.ts";
export {
  SegmentIn,
  SegmentOut,
  SegmentPatch,
  toCount,
  toSegment,
} from "./schema.ts";
export { updateSegment } from "./update.ts";
