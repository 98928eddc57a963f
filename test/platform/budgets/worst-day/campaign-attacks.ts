import { anEvent, runEngine } from "../../../audience/automations/support.ts";
import { aContactList, runBroadcasts } from "../../../audience/broadcasts/support.ts";
import { runOutboxAt } from "../../../support/run-outbox-at.ts";
import type { TestWorkspace } from "../../../support/workspace.ts";
import { type Attack, posting, postingTo, textOf } from "./attack.ts";

/** Room in the contents of a broadcast and of an automation, in bytes. */
const CONTENT_BYTES = 990_000;
const CONTACTS = 50;
const TO = Array.from({ length: 10 }, (_, n) => `delivered+${n}@simulator.test`);

const aBroadcast = ({ mailbox }: TestWorkspace, bytes = CONTENT_BYTES) => ({
  name: textOf(200),
  subject: textOf(998),
  from_address: mailbox,
  html_body: textOf(bytes),
});
const createBroadcast = async (attacker: TestWorkspace, body: object = {}) =>
  `/v1/broadcasts/${(await attacker.create("/v1/broadcasts/", { ...aBroadcast(attacker), ...body })).id}`;
const aVariant = () => ({ label: textOf(100), subject: textOf(998), html_body: textOf(CONTENT_BYTES) });

const steps = ({ mailboxId }: TestWorkspace, bytes = CONTENT_BYTES) => [
  { kind: "send_email", mailbox_id: mailboxId, subject: "Hello", html: textOf(bytes) },
];
const anAutomation = (attacker: TestWorkspace, bytes?: number) => ({
  name: textOf(200),
  trigger: { event: "signed_up" },
  entry: { mode: "every" },
  steps: steps(attacker, bytes),
});
const createAutomation = async (attacker: TestWorkspace) =>
  `/v1/automations/${(await attacker.create("/v1/automations/", anAutomation(attacker))).id}`;

/** Attacks by broadcasts, bulk sends and automations. */
export const campaignAttacks: readonly Attack[] = [
  posting("POST /v1/broadcasts/", (attacker) => aBroadcast(attacker), { calls: 12 }),
  postingTo(
    "POST /v1/broadcasts/:broadcast_id/copy",
    async (attacker) => `${await createBroadcast(attacker)}/copy`,
    undefined,
    {
      calls: 12,
    },
  ),
  postingTo("PATCH /v1/broadcasts/:broadcast_id", createBroadcast, (attacker) => aBroadcast(attacker), { calls: 12 }),
  postingTo(
    "POST /v1/broadcasts/:broadcast_id/variants",
    async (attacker) => `${await createBroadcast(attacker)}/variants`,
    aVariant,
    { calls: 12 },
  ),
  {
    operation: "POST /v1/broadcasts/:broadcast_id/web-version",
    way: "and its end",
    requests: 2,
    prepare: async (attacker) => {
      const path = `${await createBroadcast(attacker)}/web-version`;
      return async () => {
        const made = await attacker.post(path, undefined);
        return made.ok ? attacker.call("DELETE", path) : made;
      };
    },
  },
  {
    operation: "POST /v1/broadcasts/:broadcast_id/send",
    way: "of a new copy",
    calls: 6,
    requests: 2,
    finish: () => runBroadcasts(Date.now()),
    prepare: async (attacker) => {
      const contact_list_id = await aContactList(attacker, CONTACTS);
      const path = await createBroadcast(attacker, { contact_list_id });
      return async () => {
        const { id } = await attacker.withoutQueue.create(`${path}/copy`, undefined);
        return attacker.withoutQueue.post(`/v1/broadcasts/${id}/send`, undefined);
      };
    },
  },
  postingTo(
    "POST /v1/broadcasts/:broadcast_id/test",
    async (attacker) => `${await createBroadcast(attacker)}/test`,
    () => ({ to: TO }),
    { calls: 12, finish: () => runOutboxAt(Date.now()) },
  ),
  {
    operation: "POST /v1/contacts/:list_id/send",
    calls: 6,
    finish: () => runBroadcasts(Date.now()),
    prepare: async (attacker) => {
      const list = await aContactList(attacker, CONTACTS);
      const body = { contact_list_id: list, mailbox_id: attacker.mailboxId, subject: textOf(998) };
      return () => attacker.withoutQueue.post(`/v1/contacts/${list}/send`, { ...body, html: textOf(CONTENT_BYTES) });
    },
  },
  posting("POST /v1/automations/", (attacker) => anAutomation(attacker), { budgets: { automations: 6 } }),
  {
    operation: "POST /v1/automations/:automation_id/archive",
    way: "of a new automation",
    requests: 2,
    calls: 12,
    budgets: { automations: 6 },
    prepare: async (attacker) => async () => {
      const created = await attacker.post("/v1/automations/", anAutomation(attacker));
      if (!created.ok) return created;
      return attacker.post(`/v1/automations/${(await created.json<{ id: string }>()).id}/archive`, undefined);
    },
  },
  postingTo(
    "PATCH /v1/automations/:automation_id",
    async (attacker) => {
      const path = await createAutomation(attacker);
      await attacker.create(`${path}/activate`, undefined);
      return path;
    },
    (attacker) => ({ steps: steps(attacker) }),
    { calls: 12 },
  ),
  {
    operation: "PATCH /v1/automations/:automation_id",
    way: "after a run of each version",
    requests: 2,
    calls: 12,
    prepare: async (attacker) => {
      // Only contacts of a list enter an automation.
      await aContactList(attacker, CONTACTS);
      const path = await createAutomation(attacker);
      await attacker.create(`${path}/activate`, undefined);
      return async (n) => {
        await anEvent(attacker, `delivered+${n}@simulator.test`);
        await runEngine(Date.now());
        return attacker.call("PATCH", path, { steps: steps(attacker) });
      };
    },
  },
  postingTo(
    "POST /v1/automations/:automation_id/test",
    async (attacker) => `${await createAutomation(attacker)}/test`,
    () => ({ step: "0", to: TO }),
    { calls: 12, finish: () => runOutboxAt(Date.now()) },
  ),
  {
    operation: "POST /v1/automations/:automation_id/activate",
    way: "an event that makes it notify, and a pause",
    requests: 3,
    prepare: async (attacker) => {
      await aContactList(attacker, CONTACTS);
      const notify = {
        name: "A",
        trigger: { event: "signed_up" },
        entry: { mode: "every" },
        steps: [{ kind: "notify", message: textOf(900) }],
      };
      const { id } = await attacker.create("/v1/automations/", notify);
      return async (n) => {
        const activated = await attacker.post(`/v1/automations/${id}/activate`, undefined);
        await anEvent(attacker, `delivered+${n}@simulator.test`);
        await runEngine(Date.now());
        await attacker.post(`/v1/automations/${id}/pause`, undefined);
        return activated;
      };
    },
  },
];
