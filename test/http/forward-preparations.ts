import { receiveMail } from "../../src/mailboxes/inbound/index.ts";
import { aRawMessage } from "../mailboxes/inbound/support.ts";
import { type TestWorkspace, testContext } from "../support/workspace.ts";

const AUTHENTICATION = {
  spf: { result: "pass", domain: "example.org" },
  dkim: [{ result: "pass", domain: "example.org", selector: "s1" }],
  dmarc: { result: "pass", domain: "example.org" },
  dmarc_policy: "none",
  arc: null,
};

/** Returns functions that create what the operations on inbound mail name, by operation id, and return its ids. */
export function forwardPreparations(
  workspace: () => TestWorkspace,
): Record<string, () => Promise<Record<string, string>>> {
  const rule = async () => {
    const body = { domain_id: workspace().domainId, match: { subject_contains: "invoice" } };
    const action = { type: "address", target: "books@example.net" };
    return { rule_id: (await workspace().create("/v1/forwarding-rules/", { ...body, action })).id };
  };
  return {
    listForwardingRules: rule,
    createForwardingRule: async () => ({}),
    getForwardingRule: rule,
    updateForwardingRule: rule,
    deleteForwardingRule: rule,
    getInboundEmail: async () => {
      const raw = new Blob([aRawMessage()]).stream();
      const [from, to] = ["ada@example.org", workspace().mailbox];
      await receiveMail(testContext(), { from, to, raw, size: null, authentication: AUTHENTICATION });
      const found = await workspace().get("/v1/emails/search?direction=inbound");
      const [{ id = "" } = {}] = await found.json<{ id: string }[]>();
      return { message_id: id };
    },
  };
}
