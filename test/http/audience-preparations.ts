import type { TestWorkspace } from "../support/workspace.ts";
import { automationPreparations } from "./automation-preparations.ts";
import { formPreparations } from "./form-preparations.ts";
import { segmentPreparations } from "./segment-preparations.ts";
import { topicPreparations } from "./topic-preparations.ts";

/** Returns functions that create what the operations about people return, by operation id. */
export function audiencePreparations(
  create: (path: string) => Promise<string>,
  createList: () => Promise<{ list_id: string }>,
  workspace: () => TestWorkspace,
) {
  return {
    ...topicPreparations(create),
    ...formPreparations(createList, workspace),
    ...automationPreparations(create, workspace),
    ...segmentPreparations(create, workspace),
  };
}
