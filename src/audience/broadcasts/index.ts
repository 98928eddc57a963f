export { type BroadcastAnalyticsOut, toBroadcastAnalytics } from "./analytics/compare-variants.ts";
export { countAudience } from "./audience.ts";
export { BulkSendIn, type BulkSendOut } from "./bulk-send/schema.ts";
export { sendToList } from "./bulk-send/send.ts";
export { cancelBroadcast } from "./cancel.ts";
export { copyBroadcast } from "./copy.ts";
export { createBroadcast } from "./create.ts";
export { deleteBroadcast } from "./delete.ts";
export { estimateDays, sampleDomains, type WarmUpEstimate } from "./estimate-days.ts";
export { listSkipped } from "./list-skipped.ts";
export { valuesOf as contactValuesOf } from "./new-email.ts";
export { cancelBroadcastsOfDomains, findBroadcastsInFlight } from "./of-domains.ts";
export { pauseBroadcast, resumeBroadcast } from "./pause.ts";
export { type BroadcastPreview, previewBroadcast, previewContent } from "./preview.ts";
export { planPromotion, promoteVariant } from "./promote.ts";
export { type Broadcast, getBroadcast, listBroadcasts, skipCountsOf, toRecord } from "./queries.ts";
export { listRecipients } from "./recipients.ts";
export type { RenderedContent } from "./render-content.ts";
export {
  type AudienceOut,
  activities,
  type SkippedOut,
  TestIn,
  TestOut,
  type TopLinksOut,
} from "./report-schema.ts";
export { getBroadcastResults } from "./results.ts";
export { isEditable } from "./rules.ts";
export { runBroadcasts } from "./run.ts";
export { BroadcastIn, type BroadcastOut, BroadcastPatch } from "./schema.ts";
export { sendBroadcast } from "./send.ts";
export { sendContent, sendTest } from "./send-test.ts";
export { setWebVersion } from "./set-web-version.ts";
export { type SkipReason, skipReasons, skipWords } from "./skip-reasons.ts";
export { sampleIssue, sizesOf } from "./split.ts";
export { contentOfStep, type StepTexts, storeStepContents, toStepContent } from "./step-content.ts";
export { compareSteps, findStepCounts, type StepCounts } from "./step-counts.ts";
export { prepareStepEmails, type StepEmail, type StepEmailIssue } from "./step-emails.ts";
export { insertStepRowsStatements, type StepContent } from "./step-rows.ts";
export { getTopLinks } from "./top-links.ts";
export { updateBroadcast } from "./update.ts";
export { createVariant } from "./variants/create.ts";
export { deleteVariant } from "./variants/delete.ts";
export { findVariantsOf, toVariant, type VariantRow } from "./variants/queries.ts";
export { VariantIn, type VariantOut } from "./variants/schema.ts";
