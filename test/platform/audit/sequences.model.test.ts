import fc from "fast-check";
import { expect, it } from "vitest";
import type { Role } from "../../../src/access/caller.ts";
import { auditedActions } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { aMember, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

/** Random sequences of calls by several users leave exactly the entries of the calls that changed something. */

const RUNS = byExtent({ quick: 3, full: 6, long: 300 });
const STEPS = 25;

const step = fc.record({
  do: fc.constantFrom(
    "suppress" as const,
    "release" as const,
    "create key" as const,
    "revoke key" as const,
    "create mailbox" as const,
    "rename mailbox" as const,
    "delete mailbox" as const,
    "pause" as const,
    "set role" as const,
    "remove member" as const,
    "all at once" as const,
  ),
  caller: fc.nat({ max: 2 }),
  target: fc.nat({ max: 2 }),
  role: fc.constantFrom("owner" as const, "admin" as const, "member" as const),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

class Sequence {
  readonly #workspace: TestWorkspace;
  readonly #members: { userId: string; role: Role | null; call: TestWorkspace["call"] }[];
  readonly #keys: { id: string; isRevoked: boolean }[] = [];
  readonly #mailboxes: string[] = [];
  readonly expected: string[] = [];

  constructor(workspace: TestWorkspace, members: Awaited<ReturnType<typeof aMember>>[]) {
    this.#workspace = workspace;
    const roles = ["admin", "member"] as const;
    this.#members = [
      { userId: workspace.userId, role: "owner", call: workspace.call },
      ...members.map(({ userId, call }, index) => ({ userId, role: roles[index] ?? null, call })),
    ];
  }

  async apply({ do: what, caller, target, role }: Step): Promise<void> {
    const by = this.#members[caller];
    const member = this.#members[target];
    if (!by || !member) return;
    const email = `a${target}@example.org`;
    const { workspaceId, domainId } = this.#workspace;
    if (what === "suppress")
      await this.#record(by.call("POST", "/v1/suppressions/", { email }), 201, `suppression.added ${email}`);
    if (what === "release")
      await this.#record(by.call("DELETE", `/v1/suppressions/${email}`), 204, `suppression.removed ${email}`);
    if (what === "create key") await this.#createKey(by);
    if (what === "revoke key") await this.#revokeKey(by, target);
    if (what === "create mailbox") await this.#createMailbox(by, domainId);
    const mailbox = this.#mailboxes[target];
    if (what === "rename mailbox" && mailbox)
      await this.#record(
        by.call("PATCH", `/v1/mailboxes/${mailbox}`, { display_name: role }),
        200,
        `mailbox.updated ${mailbox}`,
      );
    if (what === "delete mailbox" && mailbox)
      await this.#record(by.call("DELETE", `/v1/mailboxes/${mailbox}`), 204, `mailbox.deleted ${mailbox}`);
    if (what === "pause")
      await this.#record(
        by.call("PATCH", `/v1/workspaces/${workspaceId}`, { sending_paused: target === 0 }),
        200,
        `workspace.updated ${workspaceId}`,
      );
    if (what === "set role") await this.#setRole(by, member, role);
    if (what === "remove member") await this.#remove(by, member);
    if (what === "all at once") await this.#race(email);
  }

  async #record(call: Promise<Response>, status: number, entry: string): Promise<Response> {
    const response = await call;
    expect(response.status).toBeLessThan(500);
    if (response.status === status) this.expected.push(entry);
    return response;
  }

  async #createKey({ call }: { call: TestWorkspace["call"] }): Promise<void> {
    const response = await call("POST", "/v1/api-keys/", { name: "A key" });
    if (response.status !== 201) return;
    const { id } = await response.json<{ id: string }>();
    this.#keys.push({ id, isRevoked: false });
    this.expected.push(`api_key.created ${id}`);
  }

  async #revokeKey({ call }: { call: TestWorkspace["call"] }, index: number): Promise<void> {
    const key = this.#keys[index];
    if (!key) return;
    const { status } = await call("DELETE", `/v1/api-keys/${key.id}`);
    if (status === 204 && !key.isRevoked) this.expected.push(`api_key.revoked ${key.id}`);
    key.isRevoked ||= status === 204;
  }

  async #createMailbox({ call }: { call: TestWorkspace["call"] }, domain_id: string): Promise<void> {
    const response = await call("POST", "/v1/mailboxes/", { domain_id, local_part: `m${this.#mailboxes.length}` });
    if (response.status !== 201) return;
    const { id } = await response.json<{ id: string }>();
    this.#mailboxes.push(id);
    this.expected.push(`mailbox.created ${id}`);
  }

  async #setRole(by: { call: TestWorkspace["call"] }, member: { userId: string; role: Role | null }, role: Role) {
    const path = `/v1/workspaces/${this.#workspace.workspaceId}/members/${member.userId}`;
    const { status } = await by.call("PATCH", path, { role });
    if (status !== 200) return;
    if (member.role !== role) this.expected.push(`member.role_changed ${member.userId}`);
    member.role = role;
  }

  async #remove(by: { userId: string; call: TestWorkspace["call"] }, member: { userId: string; role: Role | null }) {
    const path = `/v1/workspaces/${this.#workspace.workspaceId}/members/${member.userId}`;
    const { status } = await by.call("DELETE", path);
    if (status !== 204) return;
    this.expected.push(`member.${by.userId === member.userId ? "left" : "removed"} ${member.userId}`);
    member.role = null;
    // Ended with the membership. Keys of other users are not affected.
    const results = await database.rows<{ id: string }>("SELECT id FROM api_keys WHERE user_id = ?1", [member.userId]);
    for (const key of this.#keys) if (results.some(({ id }) => id === key.id)) key.isRevoked = true;
  }

  /** Every member adds and removes one address at the same time: as many entries as calls that changed something. */
  async #race(email: string): Promise<void> {
    const calls = this.#members.flatMap(({ call }) => [
      this.#record(call("POST", "/v1/suppressions/", { email }), 201, `suppression.added ${email}`),
      this.#record(call("DELETE", `/v1/suppressions/${email}`), 204, `suppression.removed ${email}`),
    ]);
    await Promise.all(calls);
  }
}

it("has the entries of the calls that changed something, after any sequence of calls", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
      const workspace = await aWorkspace();
      const members = [await aMember(workspace, "admin"), await aMember(workspace, "member")];
      const sequence = new Sequence(workspace, members);
      for (const one of steps) await sequence.apply(one);
      const owner = await aMember(workspace, "owner");
      // Calls that ran at once may commit in another order than they got a response.
      expect((await auditedActions(owner)).sort()).toEqual(sequence.expected.sort());
    }),
    { numRuns: RUNS, seed: 20261121 },
  );
}, 600_000);
