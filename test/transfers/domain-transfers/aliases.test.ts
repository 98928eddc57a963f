import { beforeAll, describe, expect, it } from "vitest";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { database } from "../../support/databases.ts";
import { aSystemWorkspace, insertDomain, transfer } from "../../support/transfers.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

beforeAll(aSystemWorkspace);

const add = async (workspace: TestWorkspace, address: string) => {
  const response = await workspace.post(`/v1/mailboxes/${workspace.mailboxId}/aliases`, { address });
  expect(response.status, await response.clone().text()).toBe(201);
};
const aliasesOf = async (workspace: TestWorkspace, mailboxId: string) => {
  const response = await workspace.get(`/v1/mailboxes/${mailboxId}/aliases`);
  expect(response.status).toBe(200);
  return (await response.json<{ address: string }[]>()).map(({ address }) => address);
};

describe("a transfer of a domain", () => {
  it("moves its aliases with their mailbox, and ends those of which the mailbox or the domain stays", async () => {
    const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
    const other = await insertDomain(source);
    await add(source, `sales@${source.domain}`);
    await add(source, `sales@${other.name}`);
    const body = { domain_id: other.id, local_part: "stays" };
    const stays = await source.create("/v1/mailboxes/", body);
    await source.post(`/v1/mailboxes/${stays.id}/aliases`, { address: `orders@${source.domain}` });
    await source.post(`/v1/mailboxes/${stays.id}/aliases`, { address: `orders@${other.name}` });

    await transfer(source, target);

    expect(await aliasesOf(target, source.mailboxId)).toEqual([`sales@${source.domain}`]);
    expect(await aliasesOf(source, stays.id)).toEqual([`orders@${other.name}`]);
    expect(await deliver(`sales@${source.domain}`, aRawMessage())).toBeNull();
    expect(await deliver(`orders@${source.domain}`, aRawMessage())).toBe("550 5.1.1 No such recipient");
  });

  it("replaces a mailbox that the target has made with the address of an alias on the domain that waits", async () => {
    const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
    await add(source, `sales@${source.domain}`);
    const waiting = await insertDomain(target, source.domain, "pending");
    const { id } = await target.create("/v1/mailboxes/", { domain_id: waiting.id, local_part: "sales" });

    await transfer(source, target);

    expect((await target.get(`/v1/mailboxes/${id}`)).status).toBe(404);
    expect(await aliasesOf(target, source.mailboxId)).toEqual([`sales@${source.domain}`]);
    const moved = await database.row("SELECT workspace, domain_id FROM mailbox_aliases WHERE mailbox_id = ?1", [
      source.mailboxId,
    ]);
    expect(moved).toEqual({ workspace: target.workspaceNumber, domain_id: source.domainId });
  });
});
