import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import type { TransferOut } from "../../../src/transfers/domain-transfers/schema.ts";
import { consumeQueues } from "../../support/queues.ts";
import { age, aSystemWorkspace, decide, mailedToken, ownerOf, ownersOf } from "../../support/transfers.ts";
import { aWorkspace, until } from "../../support/workspace.ts";

/** A transfer from end to end: real emails, tokens, the object and its alarm. */

consumeQueues("work");
beforeAll(aSystemWorkspace);

it("a transfer is offered by mail, accepted by its token, and completed by the alarm of the object after 24 hours", async () => {
  const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
  const email = await ownerOf(target);
  const response = await source.post(`/v1/domains/${source.domainId}/transfer`, {
    target_email: email,
    note: "As agreed.",
  });
  expect(response.status).toBe(200);
  const offered = await response.json<TransferOut>();
  expect(offered).toMatchObject({ status: "pending", target_email: email, moves: { mailboxes: 1, messages: 0 } });
  const token = await mailedToken("accept", email);
  const accepted = await decide(await target.post(`/v1/domain-transfers/${token}/accept`, {}));
  expect(accepted).toMatchObject({ status: 200, body: { status: "accepted", target_org_id: target.workspaceId } });
  await mailedToken("stop", await ownerOf(source));
  expect(await ownersOf(source.domain)).toEqual([source.workspaceNumber]);
  await age(offered.id, 24 * 3_600_000);
  // The deadline is over: the object acts at its next look.
  await env.DOMAIN_TRANSFER.getByName(source.domainId).runDeadline(source.domainId, Date.now());
  await until(
    () => ownersOf(source.domain),
    (owners) => owners[0] === target.workspaceNumber,
  );
  expect(await (await target.get(`/v1/domains/${source.domainId}`)).json()).toMatchObject({ status: "verified" });
  expect((await source.get(`/v1/domains/${source.domainId}`)).status).toBe(404);
  expect(await (await source.get("/v1/domain-transfers/outgoing")).json()).toMatchObject([{ status: "completed" }]);
  expect(await (await target.get("/v1/domain-transfers/incoming")).json()).toEqual([]);
});
