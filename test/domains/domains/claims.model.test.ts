import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { recheckDomains } from "../../../src/domains/domains/index.ts";
import { MAX_FAILED_CHECKS } from "../../../src/domains/domains/rules.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { database } from "../../support/databases.ts";
import { failQueries, restoreQueries, unpublish } from "../../support/dns-control.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { byExtent } from "../../support/extent.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const WORKSPACES = 3;
const RUNS = byExtent({ quick: 5, full: 12, long: 400 });
const PREFIXES = ["", "mail.", "eu.mail."];

let workspaces: TestWorkspace[];

beforeAll(async () => {
  workspaces = await Promise.all(Array.from({ length: WORKSPACES }, () => aWorkspace()));
});

/** The expected state of one registration. */
interface Registration {
  domain: DomainOut;
  status: "pending" | "verified" | "failed";
  published: boolean;
  failedChecks: number;
}

const actor = { who: fc.nat({ max: WORKSPACES - 1 }), prefix: fc.nat({ max: PREFIXES.length - 1 }) };
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("register" as const), ...actor }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("publish" as const), ...actor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unpublish" as const), ...actor }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("verify" as const), ...actor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), ...actor }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("break DNS" as const), ...actor }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repair DNS" as const), ...actor }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("a day passes" as const), ...actor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("all verify at once" as const), ...actor }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

let clock = Date.now();

/** Applies one sequence of steps on a unique name to the service and to the model, and compares the two. */
class Sequence {
  readonly #name = uniqueDomainName();
  readonly #registrations = new Map<string, Registration>();
  readonly #broken = new Set<number>();

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#apply(step);
      await this.#compare();
    }
  }

  async #apply({ do: what, who, prefix }: Step): Promise<void> {
    const registration = this.#registrations.get(`${who} ${prefix}`);
    const name = `${PREFIXES[prefix]}${this.#name}`;
    if (what === "register") return this.#register(who, prefix, name, registration);
    if (what === "a day passes") return this.#dayPasses();
    if (what === "all verify at once") return this.#race();
    if (what === "break DNS") {
      this.#broken.add(prefix);
      return failQueries(`_svc-challenge.${name}`, "servfail");
    }
    if (what === "repair DNS") {
      this.#broken.delete(prefix);
      return restoreQueries(`_svc-challenge.${name}`);
    }
    if (!registration) return;
    if (what === "publish") await this.#publish(registration, prefix);
    else if (what === "unpublish") await this.#unpublish(prefix);
    else if (what === "verify") await this.#verify(who, prefix, registration);
    else await this.#delete(who, prefix, registration);
  }

  async #register(who: number, prefix: number, name: string, registration: Registration | undefined): Promise<void> {
    if (registration) {
      expect((await workspaceOf(who).post("/v1/domains/", { name })).status).toBe(409);
      return;
    }
    const domain = await register(workspaceOf(who), name);
    this.#registrations.set(`${who} ${prefix}`, { domain, status: "pending", published: false, failedChecks: 0 });
  }

  async #publish(registration: Registration, prefix: number): Promise<void> {
    // Only one registration's records are published at a time, and no record twice.
    await this.#unpublish(prefix);
    await publishRecords(registration.domain, ["ownership", "dkim"]);
    registration.published = true;
  }

  async #unpublish(prefix: number): Promise<void> {
    for (const [key, { domain, published }] of this.#registrations) {
      if (!key.endsWith(` ${prefix}`) || !published) continue;
      for (const { name } of domain.records) await unpublish(name);
    }
    for (const [key, registration] of this.#registrations)
      if (key.endsWith(` ${prefix}`)) registration.published = false;
  }

  async #verify(who: number, prefix: number, registration: Registration): Promise<void> {
    const { status } = await verify(workspaceOf(who), registration.domain.id);
    const isProven = registration.published && !this.#broken.has(prefix);
    // The names of a sequence are parents of one another. A verified one excludes other workspaces from itself and all names
    // below, and loses to a name above it.
    const others = [...this.#registrations].filter(
      ([key, other]) => !key.startsWith(`${who} `) && other.status === "verified",
    );
    const isTaken = others.some(([key]) => Number(key.split(" ")[1]) <= prefix);
    expect(status).toBe(isProven && isTaken ? 409 : 200);
    if (!isProven || isTaken) return;
    for (const [, other] of others) other.status = "failed";
    Object.assign(registration, { status: "verified", failedChecks: 0 });
  }

  async #delete(who: number, prefix: number, registration: Registration): Promise<void> {
    if (registration.published) await this.#unpublish(prefix);
    expect((await workspaceOf(who).call("DELETE", `/v1/domains/${registration.domain.id}`)).status).toBe(204);
    this.#registrations.delete(`${who} ${prefix}`);
  }

  async #dayPasses(): Promise<void> {
    clock += DAY + 1000;
    const now = clock;
    await recheckDomains(testContext({}, () => now));
    for (const [key, registration] of this.#registrations) {
      if (registration.status !== "verified" || this.#broken.has(Number(key.split(" ")[1]))) continue;
      registration.failedChecks = registration.published ? 0 : registration.failedChecks + 1;
      if (registration.failedChecks >= MAX_FAILED_CHECKS) registration.status = "failed";
    }
  }

  /** Verifies concurrently in several workspaces. After every step, #compare checks that at most one succeeded. */
  async #race(): Promise<void> {
    const all = [...this.#registrations];
    await Promise.all(all.map(([key, { domain }]) => verify(workspaceOf(Number(key.split(" ")[0])), domain.id)));
    for (const [key, registration] of all) {
      const response = await workspaceOf(Number(key.split(" ")[0])).get(`/v1/domains/${registration.domain.id}`);
      const { status } = await response.json<DomainOut>();
      // A name above it, verified at the same moment, makes it fail.
      if (status !== registration.status && status !== "failed")
        expect([registration.published, status]).toEqual([true, "verified"]);
      if (status === "verified" && registration.published && !this.#broken.has(Number(key.split(" ")[1])))
        registration.failedChecks = 0;
      registration.status = status;
    }
  }

  async #compare(): Promise<void> {
    const results = await database.rows<{ id: string; workspace: number; status: string }>(
      "SELECT id, workspace, status FROM domains WHERE name = ?1 OR name LIKE '%.' || ?1",
      [this.#name],
    );
    const owners = new Set(results.filter(({ status }) => status === "verified").map(({ workspace }) => workspace));
    expect(owners.size).toBeLessThanOrEqual(1);
    const known = [...this.#registrations.values()].map(({ domain, status }) => `${domain.id} ${status}`);
    expect(results.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(known.sort());
  }
}

const workspaceOf = (who: number) => workspaces[who] as TestWorkspace;

it("registrations, verifications, deletions and failing DNS in any order leave a name and its parents with at most one verified owner", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => new Sequence().run(steps)),
    { numRuns: RUNS },
  );
}, 1_800_000);
