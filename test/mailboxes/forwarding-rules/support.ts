import type { RuleOut } from "../../../src/mailboxes/forwarding-rules/schema.ts";
import type { TestWorkspace } from "../../support/workspace.ts";
import { apiWith, testContext } from "../../support/workspace.ts";

/** Creates a rule for all mail of the domain of a workspace. Throws unless it was created. */
export async function aRule(workspace: TestWorkspace, changes: Record<string, unknown> = {}): Promise<RuleOut> {
  const action = { type: "mailbox", target: workspace.mailboxId };
  const response = await workspace.post("/v1/forwarding-rules/", { domain_id: workspace.domainId, action, ...changes });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<RuleOut>();
}

/** Lets an outside address confirm, without the email. */
export async function confirmTarget({ workspaceNumber }: TestWorkspace, address: string): Promise<void> {
  const ctx = testContext();
  await ctx.db
    .prepare(
      "INSERT OR REPLACE INTO forward_targets (workspace, address, requested_at, confirmed_at) VALUES (?1, ?2, ?3, ?3)",
    )
    .bind(workspaceNumber, address, ctx.now())
    .run();
}

/** Opens a page without credentials. */
export const visitor = apiWith(null);
