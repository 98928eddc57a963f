import { register, uniqueDomainName } from "../../../support/domains.ts";
import { aTransferTarget } from "../../../support/transfers.ts";
import { type Attack, posting, postingTo, textOf } from "./attack.ts";

/** Attacks by domains, their keys, their transfers and their SMTP credentials. */
export const domainAttacks: readonly Attack[] = [
  posting("POST /v1/domains/", () => ({ name: uniqueDomainName() }), { budgets: { domains: 6 } }),
  postingTo("POST /v1/domains/:domain_id/dkim/rotate", async (attacker) => {
    return `/v1/domains/${(await register(attacker)).id}/dkim/rotate`;
  }),
  postingTo("POST /v1/domains/:domain_id/verify", async (attacker) => {
    return `/v1/domains/${(await register(attacker)).id}/verify`;
  }),
  postingTo(
    "PATCH /v1/domains/:domain_id",
    async (attacker) => `/v1/domains/${(await register(attacker)).id}`,
    (_, n) => ({ receives: n % 2 === 0 }),
  ),
  {
    operation: "POST /v1/domains/:domain_id/transfer",
    way: "and its cancellation",
    requests: 2,
    calls: 120,
    prepare: async (attacker) => {
      const { email } = await aTransferTarget();
      return async () => {
        const body = { target_email: email, note: textOf(1_000) };
        const offered = await attacker.post(`/v1/domains/${attacker.domainId}/transfer`, body);
        if (!offered.ok) return offered;
        const { id } = await offered.json<{ id: string }>();
        return attacker.call("DELETE", `/v1/domain-transfers/${id}`);
      };
    },
  },
  {
    operation: "POST /v1/smtp-credentials/",
    way: "and its deletion",
    requests: 2,
    prepare: async (attacker) => async () => {
      const created = await attacker.post("/v1/smtp-credentials/", { domain_id: attacker.domainId });
      if (!created.ok) return created;
      const { id } = await created.json<{ id: string }>();
      return attacker.call("DELETE", `/v1/smtp-credentials/${id}`);
    },
  },
];
