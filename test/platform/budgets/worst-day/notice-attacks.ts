import { aReceiver, LOCAL, runAt, webhooksOf } from "../../../notices/webhooks/support.ts";
import { runOutboxAt } from "../../../support/run-outbox-at.ts";
import { aMail, discardingQueue } from "../../../support/workspace.ts";
import type { Attack } from "./attack.ts";

/** Webhooks of a workspace that gets an event of each. */
const WEBHOOKS = 4;
const RUNS = 30;

const aUrl = () => `${aReceiver("large").url}?${"q".repeat(1_900)}`;

/** Attacks by webhooks, whose receiver responds with as much as it can. */
export const noticeAttacks: readonly Attack[] = [
  {
    operation: "POST /v1/webhooks/",
    budgets: { webhooks: 6 },
    prepare: async (attacker) => {
      const api = webhooksOf(attacker);
      return () => api.post("/v1/webhooks/", { url: aUrl(), events: ["email.delivered"] });
    },
  },
  {
    operation: "POST /v1/webhooks/:webhook_id/test",
    prepare: async (attacker) => {
      const api = webhooksOf(attacker);
      const { id } = await api.create(aUrl());
      return () => api.post(`/v1/webhooks/${id}/test`, undefined);
    },
  },
  {
    operation: "POST /v1/emails/",
    way: "whose events go to webhooks",
    finish: async () => {
      await runOutboxAt(Date.now(), LOCAL);
      // A run takes some deliveries.
      for (let run = 0; run < RUNS; run++) await runAt(Date.now);
    },
    prepare: async (attacker) => {
      const api = webhooksOf(attacker, { WORK: discardingQueue });
      for (let n = 0; n < WEBHOOKS; n++) await api.create(aUrl(), ["email.sent", "email.delivered"]);
      const to = Array.from({ length: 10 }, (_, n) => ({ email: `delivered+${n}@simulator.test` }));
      return () => api.post("/v1/emails/", aMail(attacker, { to }));
    },
    calls: 6,
  },
  {
    operation: "POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/replay",
    prepare: async (attacker) => {
      const api = webhooksOf(attacker);
      const { id } = await api.create(aUrl());
      await api.post(`/v1/webhooks/${id}/test`, undefined);
      const { items } = await api.deliveries(id);
      return () => api.post(`/v1/webhooks/${id}/deliveries/${items[0]?.id}/replay`, undefined);
    },
  },
];
