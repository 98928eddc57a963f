import { saveReport } from "../../src/domains/reports/save.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { listed, notify } from "../notices/notifications/support.ts";
import { aRollup, hoursAgo } from "../sending/analytics/support.ts";
import { run } from "../support/sending.ts";
import { recordingContext, type TestWorkspace } from "../support/workspace.ts";

type Ids = Record<string, string>;

/** Returns functions that create what the operations of notifications and analytics return, by operation id. */
export function reportingPreparations(workspace: () => TestWorkspace): Record<string, () => Promise<Ids>> {
  const notification = async () => {
    await notify(workspace());
    const [item] = (await listed(workspace())).items;
    return { notification_id: item?.id ?? "" };
  };
  const rollup = async () => {
    await aRollup(workspace(), hoursAgo(1), "example.org", { sent: 1, delivered: 1, emails_sent: 1 });
    return {};
  };
  const create = async (path: string, body: object) => {
    return (await workspace().create(path, body)).id;
  };
  return {
    getDomainReports: async () => {
      const { workspaceNumber: number, workspaceId: id, domainId } = workspace();
      const { ctx } = recordingContext();
      const sources = [{ source: "192.0.2.17", aligned: 3, disposition: "none", messages: 42 }];
      const head = { workspace: { number, id }, domainId, day: Math.floor(Date.now() / DAY_MS), skipped: 0 };
      await saveReport(ctx, { ...head, organization: "google.com", reportId: "1", rows: { kind: "dmarc", sources } });
      return { domain_id: domainId };
    },
    getDomainHealth: async () => {
      const { domainId } = workspace();
      const found = { code: "spf_missing", subject: "", severity: "warning", evidence: ["example.com: no record"] };
      const health = [{ ...found, problem: "No SPF record.", action: "Publish one.", beganAt: Date.now() }];
      await run(
        "UPDATE domains SET health = ?2, last_checked_at = ?3 WHERE id = ?1",
        domainId,
        JSON.stringify(health),
        Date.now(),
      );
      return { domain_id: domainId };
    },
    listNotifications: notification,
    markNotificationRead: notification,
    getAnalyticsDomainStats: rollup,
    getAnalyticsDeliverability: rollup,
    getBroadcastAnalytics: async () => {
      const content = { subject: "A subject", text_body: "A text." };
      const from_address = workspace().mailbox;
      const broadcast_id = await create("/v1/broadcasts/", { name: "A test", from_address, ...content });
      for (const label of ["A", "B"])
        await create(`/v1/broadcasts/${broadcast_id}/variants`, { label, ...content, weight: 1 });
      await run(
        `INSERT INTO broadcast_counts (broadcast, variant, workspace, queued, attempted, delivered, clicked)
         SELECT v.broadcast, v.n, v.workspace, 10, 10, 10, 3 FROM broadcast_variants v JOIN broadcasts b ON b.n = v.broadcast WHERE b.id = ?1`,
        broadcast_id,
      );
      return { broadcast_id };
    },
  };
}
