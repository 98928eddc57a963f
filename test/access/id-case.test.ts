import { expect, it } from "vitest";
import type { DomainOut } from "../../src/domains/domains/schema.ts";
import type { MailboxOut } from "../../src/mailboxes/mailboxes/schema.ts";
import { createDomain, createKey } from "../identity/api-keys/support.ts";
import { aMember, aWorkspace, perSuite } from "../support/workspace.ts";

/** Ids are accepted in any letter case (docs/contract/requests.md#ids-and-times), in the path, the query and the body. */

const workspace = perSuite(aWorkspace);

const upper = (id: string) => id.toUpperCase();

it("domains: get, verify, rotate and delete accept an id in upper case and return it in lower case", async () => {
  const id = await createDomain(workspace);
  const path = `/v1/domains/${upper(id)}`;
  expect(await (await workspace.get(path)).json()).toMatchObject({ id });
  expect(await (await workspace.post(`${path}/verify`, undefined)).json()).toMatchObject({ id });
  const rotated = await (await workspace.post(`${path}/dkim/rotate`, undefined)).json<DomainOut>();
  expect(await (await workspace.get(path)).json()).toEqual(rotated);
  expect((await workspace.call("DELETE", path)).status).toBe(204);
  expect((await workspace.get(`/v1/domains/${id}`)).status).toBe(404);
});

it("mailboxes: create, list, get, update, assign and delete accept ids in upper case", async () => {
  const created = await workspace.post("/v1/mailboxes/", { domain_id: upper(workspace.domainId), local_part: "case" });
  expect(created.status).toBe(201);
  const { id, domain_id } = await created.json<MailboxOut>();
  expect(domain_id).toBe(workspace.domainId);
  const path = `/v1/mailboxes/${upper(id)}`;
  expect(await (await workspace.get(path)).json()).toMatchObject({ id });
  const listed = await workspace.get(`/v1/mailboxes/?domain_id=${upper(workspace.domainId)}`);
  expect(await listed.json<MailboxOut[]>()).toHaveLength(2);
  expect(await (await workspace.call("PATCH", path, { display_name: "Case" })).json()).toMatchObject({ id });
  const assigned = await workspace.call("PUT", `${path}/assignees`, { user_ids: [upper(workspace.userId)] });
  expect(await assigned.json()).toMatchObject({ id, assignee_ids: [workspace.userId] });
  expect((await workspace.call("DELETE", path)).status).toBe(204);
  expect((await workspace.get(`/v1/mailboxes/${id}`)).status).toBe(404);
});

it("API keys: create, rotate and revoke accept ids in upper case", async () => {
  const made = await createKey(workspace, { domain_ids: [upper(workspace.domainId)] });
  expect(made.domain_ids).toEqual([workspace.domainId]);
  const rotated = await workspace.post(`/v1/api-keys/${upper(made.id)}/rotate`, undefined);
  expect(rotated.status).toBe(201);
  expect((await workspace.call("DELETE", `/v1/api-keys/${upper(made.id)}`)).status).toBe(204);
});

it("templates: get, update, preview, duplicate and delete accept an id in upper case", async () => {
  const { id } = await workspace.create("/v1/templates/", { name: "Case" });
  const path = `/v1/templates/${upper(id)}`;
  expect(await (await workspace.get(path)).json()).toMatchObject({ id });
  expect(await (await workspace.call("PATCH", path, { name: "New" })).json()).toMatchObject({ id });
  expect((await workspace.post(`${path}/preview`, {})).status).toBe(200);
  expect((await workspace.post(`${path}/duplicate`, undefined)).status).toBe(201);
  expect((await workspace.call("DELETE", path)).status).toBe(204);
  expect((await workspace.get(`/v1/templates/${id}`)).status).toBe(404);
});

it("members: update and remove accept ids in upper case", async () => {
  const { userId } = await aMember(workspace, "member");
  const path = `/v1/workspaces/${upper(workspace.workspaceId)}/members/${upper(userId)}`;
  expect(await (await workspace.call("PATCH", path, { role: "admin" })).json()).toMatchObject({ user_id: userId });
  expect((await workspace.call("DELETE", path)).status).toBe(204);
});

it("workspaces: get and delete accept an id in upper case", async () => {
  const other = await aWorkspace();
  const path = `/v1/workspaces/${upper(other.workspaceId)}`;
  expect(await (await other.get(path)).json()).toMatchObject({ id: other.workspaceId });
  expect((await other.call("DELETE", path)).status).toBe(204);
  expect((await other.get("/v1/me")).status).toBe(401);
});
