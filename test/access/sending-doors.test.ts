import { beforeAll, describe, expect, it } from "vitest";
import { roleScopes, type Scope, scopes } from "../../src/access/accounts/scopes.ts";
import { anAccessToken } from "../support/oauth.ts";
import { callRoute, type PathIds } from "../support/route-tests.ts";
import { insertDomain } from "../support/transfers.ts";
import { aKey, apiWith, aWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { cases } from "./cases.ts";

/** A call by which mail leaves, at once or later. */
interface Door {
  /** `METHOD /path/:parameter`. */
  route: string;
  /** The scopes that it takes. The last one is the right to send. */
  needs: readonly Scope[];
  /** In place of those of the route's case. */
  create?: (workspace: TestWorkspace) => Promise<PathIds>;
  body?: (workspace: TestWorkspace) => unknown;
}

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const aBroadcast = (of: TestWorkspace) => ({
  name: "News",
  subject: "News",
  from_address: of.mailbox,
  text_body: "Hello",
  scheduled_at: tomorrow(),
});

const aScheduledBroadcast = async (of: TestWorkspace) => {
  const { id: contact_list_id } = await of.create("/v1/contacts/", { name: "A list" });
  const { id } = await of.create("/v1/broadcasts/", { ...aBroadcast(of), contact_list_id });
  const { id: variant_id } = await of.create(`/v1/broadcasts/${id}/variants`, { label: "A", subject: "News" });
  return { broadcast_id: id, variant_id };
};

const anAutomation = async (of: TestWorkspace) => {
  const step = { kind: "send_email", mailbox_id: of.mailboxId, subject: "Welcome", text: "Hello" };
  const { id } = await of.create("/v1/automations/", { name: "A", trigger: { event: "joined" }, steps: [step] });
  return { automation_id: id };
};

const BROADCASTS = ["broadcasts:manage", "broadcasts:send"] as const;

const doors: Record<string, Door> = {
  "a send": { route: "POST /v1/emails/", needs: ["emails:send"] },
  "a batch": { route: "POST /v1/emails/batch", needs: ["emails:send"] },
  "a retry": { route: "POST /v1/emails/:email_id/retry", needs: ["emails:send"] },
  "a scheduled email, now": { route: "POST /v1/emails/scheduled/:email_id/send-now", needs: ["emails:send"] },
  "a send by a program written for Resend": { route: "POST /compat/resend/emails", needs: ["emails:send"] },
  "a broadcast": { route: "POST /v1/broadcasts/:broadcast_id/send", needs: ["broadcasts:send"] },
  "a test of a broadcast": { route: "POST /v1/broadcasts/:broadcast_id/test", needs: ["broadcasts:send"] },
  "a broadcast that goes on": { route: "POST /v1/broadcasts/:broadcast_id/resume", needs: ["broadcasts:send"] },
  "a scheduled broadcast": { route: "POST /v1/broadcasts/", needs: BROADCASTS, body: aBroadcast },
  "a draft that becomes scheduled": {
    route: "PATCH /v1/broadcasts/:broadcast_id",
    needs: BROADCASTS,
    body: () => ({ scheduled_at: tomorrow() }),
  },
  "other words of a scheduled broadcast": {
    route: "PATCH /v1/broadcasts/:broadcast_id",
    needs: BROADCASTS,
    create: aScheduledBroadcast,
    body: () => ({ subject: "Your invoice" }),
  },
  "a variant of a scheduled broadcast": {
    route: "POST /v1/broadcasts/:broadcast_id/variants",
    needs: BROADCASTS,
    create: aScheduledBroadcast,
    body: () => ({ label: "B", subject: "Your invoice" }),
  },
  "other words of a variant": {
    route: "PATCH /v1/broadcasts/:broadcast_id/variants/:variant_id",
    needs: BROADCASTS,
    create: aScheduledBroadcast,
    body: () => ({ subject: "Your invoice" }),
  },
  "a bulk send": { route: "POST /v1/contacts/:list_id/send", needs: ["broadcasts:send"] },
  "the words of a confirmation": {
    route: "POST /v1/contacts/",
    needs: ["contacts:manage", "emails:send"],
    body: ({ mailboxId }) => ({ name: "L", confirm: true, confirm_mailbox_id: mailboxId, confirm_text: "Pay now." }),
  },
  "an automation with an email": {
    route: "POST /v1/automations/:automation_id/activate",
    needs: ["automations:manage", "emails:send"],
    create: anAutomation,
  },
  "an SMTP credential": { route: "POST /v1/smtp-credentials/", needs: ["smtp:manage", "emails:send"] },
  "a message of a mailbox": { route: "POST /v1/inbox/:mailbox_id/send", needs: ["inbox:write"] },
  "an automatic reply": { route: "PUT /v1/inbox/:mailbox_id/auto-reply", needs: ["inbox:write"] },
  "a filter that forwards": {
    route: "POST /v1/inbox/:mailbox_id/filters",
    needs: ["inbox:write"],
    body: ({ mailbox }) => ({
      match: { mode: "any", conditions: [{ field: "size", op: "over", value: 1 }] },
      actions: [{ type: "forward", address: mailbox }],
    }),
  },
  "a forwarding rule": { route: "POST /v1/forwarding-rules/", needs: ["domains:manage"] },
  "an invitation": {
    route: "POST /v1/workspaces/:workspace_id/invitations",
    needs: [...roleScopes.member, "team:manage"],
  },
};

let workspace: TestWorkspace;
let otherDomain: string;

beforeAll(async () => {
  workspace = await aWorkspace();
  otherDomain = (await insertDomain(workspace)).id;
});

async function open({ route, create, body }: Door, api: ReturnType<typeof apiWith>): Promise<Response> {
  const own = cases[route];
  const ids = (await (create ?? own?.create)?.(workspace)) ?? {};
  return callRoute(api, route, ids, body?.(workspace) ?? own?.body?.(workspace, ids), own?.headers);
}

const all = Object.keys(scopes) as Scope[];

describe("every call by which mail leaves", () => {
  for (const [name, door] of Object.entries(doors)) {
    const send = door.needs.at(-1) ?? "emails:send";

    it(`takes the right to send, by a key and by an OAuth token: ${name}`, async () => {
      const others = all.filter((scope) => scope !== send);
      for (const token of [await aKey(workspace, { scopes: others }), await anAccessToken(workspace, others)]) {
        const response = await open(door, apiWith(token));
        expect(response.status).toBe(403);
        expect(await response.text()).toMatch(/Missing scope: |An OAuth token cannot /);
      }
    });

    it(`takes no other right than it says: ${name}`, async () => {
      const response = await open(door, apiWith(await aKey(workspace, { scopes: [...door.needs] })));
      expect(response.status, await response.clone().text()).toBeLessThan(300);
    });

    it(`is closed to a key of another domain: ${name}`, async () => {
      const api = apiWith(await aKey(workspace, { domainIds: [otherDomain] }));
      const response = await open(door, api);
      // The response to a batch has one for each item.
      const refusal = (await response.clone().text()).includes('"sent":0,') ? 403 : response.status;
      expect(refusal, await response.text()).toBeGreaterThanOrEqual(400);
    });
  }
});
