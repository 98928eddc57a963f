import { respondPage } from "../../../http/page.tsx";
import { page } from "../../../http/page-actions.tsx";
import { AppLayout, List } from "../../../http/ui/index.ts";
import { listUsage, type UsageOut } from "../../../identity/workspaces/index.ts";

/** The page of the budgets of the workspace, those that are used most first. */
export const usagePage = page("/app/settings/usage", "GET /v1/workspaces/:workspace_id/usage", async (c) => {
  const caller = c.get("caller");
  const budgets = await listUsage(caller, caller.workspace.id);
  const used = ({ used, limit }: UsageOut) => used / limit;
  return respondPage(c, <UsagePage budgets={budgets.toSorted((a, b) => used(b) - used(a))} />);
});

const UsagePage = ({ budgets }: { budgets: readonly UsageOut[] }) => (
  <AppLayout title="Usage">
    <p>
      What this workspace has, and how much of it there may be. The operator of the service can raise each limit. Large
      numbers are estimates, made each hour.
    </p>
    <List
      caption="Usage"
      columns={["Kind", "Used", "At most", "At the limit"]}
      rows={budgets.map(({ name, used, limit, at_limit }) => [
        name.replace(/^[a-z]/, (letter) => letter.toUpperCase()),
        used.toLocaleString("en"),
        limit.toLocaleString("en"),
        <span class="soft">{at_limit}</span>,
      ])}
    />
  </AppLayout>
);
