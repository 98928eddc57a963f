import {
  type AudienceOut,
  type BroadcastOut,
  sampleIssue,
  type VariantOut,
} from "../../../audience/broadcasts/index.ts";
import { hasContent, type Step } from "./steps.ts";

/** Something that the review of a broadcast points out. */
export interface Issue {
  text: string;
  /** The step that mends it. */
  step: Step;
  isBlocking: boolean;
}

interface Reviewed {
  broadcast: BroadcastOut;
  variants: readonly VariantOut[];
  /** Null when there is no list and no segment, or it cannot be counted. */
  audience: AudienceOut | null;
}

/** Returns what keeps a broadcast from being sent, and what its author may not have wanted. Pure. */
export function findIssues({ broadcast, variants, audience }: Reviewed): Issue[] {
  const blocking = (step: Step, text: string): Issue => ({ step, text, isBlocking: true });
  const issues: Issue[] = [];
  const { ab_test_pct: pct } = broadcast;
  if (broadcast.contact_list_id === null && broadcast.segment_id === null)
    issues.push(blocking("audience", "Choose the list that gets it"));
  if (!hasContent(broadcast, variants)) issues.push(blocking("content", "Write its subject and its content"));
  if (broadcast.ab_auto_promote !== null && (pct === null || variants.length < 2))
    issues.push(blocking("content", "A winner that is chosen by itself needs a sample and two variants"));
  if (audience === null) return issues;
  // With a segment, the audience is counted when it is sent.
  const isCounted = audience.note === undefined;
  if (isCounted && audience.eligible === 0) issues.push(blocking("audience", "No contact of the list would get it"));
  else if (isCounted && pct !== null && variants.length >= 2) {
    const issue = sampleIssue(audience.eligible, pct, variants);
    if (issue !== null) issues.push(blocking("content", issue.replaceAll("ab_test_pct", "percentage")));
  }
  if (pct !== null && variants.length < 2)
    issues.push({ step: "content", text: "A sample needs two variants. Everybody gets it at once", isBlocking: false });
  return issues;
}
