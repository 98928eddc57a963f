import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { recheckDomains } from "../../src/domains/index.ts";
import { MAX_FAILED_CHECKS } from "../../src/domains/rules.ts";
import type { DomainOut } from "../../src/domains/schema.ts";
import { fail, heal, unpublish } from "../support/dns-control.ts";
import { aName, publishRecords, register, verify } from "../support/domains.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";

const DAY = 24 * 3_600_000;
const WORKSPACES = 3;
const RUNS = env.TEST_LONG ? 400 : 12;
const PLACES = ["", "mail.", "eu.mail."];

let workspaces: TestWorkspace[];

beforeAll(async () => {
  workspaces = await Promise.all(Array.from({ length: WORKSPACES }, () => aWorkspace()));
});

/** What the model knows of one registration. */
interface Claim {
  domain: DomainOut;
  status: "pending" | "verified" | "failed";
  published: boolean;
  failedChecks: number;
}

const actor = { who: fc.nat({ max: WORKSPACES - 1 }), place: fc.nat({ max: PLACES.length - 1 }) };
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("claim" as const), ...actor }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("publish" as const), ...actor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unpublish" as const), ...actor }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("verify" as const), ...actor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), ...actor }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("break DNS" as const), ...actor }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("heal DNS" as const), ...actor }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("a day passes" as const), ...actor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("all verify at once" as const), ...actor }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

let clock = Date.now();

/** One sequence on a name of its own, told to the service and to the model alike. */
class Sequence {
  readonly #name = aName();
  readonly #claims = new Map<string, Claim>();
  readonly #broken = new Set<number>();

  async run(steps: readonly Step[]): Promise<void> {
    for (const one of steps) {
      await this.#take(one);
      await this.#compare();
    }
  }

  async #take({ do: what, who, place }: Step): Promise<void> {
    const claim = this.#claims.get(`${who} ${place}`);
    const name = `${PLACES[place]}${this.#name}`;
    if (what === "claim") return this.#claim(who, place, name, claim);
    if (what === "a day passes") return this.#dayPasses();
    if (what === "all verify at once") return this.#race();
    if (what === "break DNS") {
      this.#broken.add(place);
      return fail(`_svc-challenge.${name}`, "servfail");
    }
    if (what === "heal DNS") {
      this.#broken.delete(place);
      return heal(`_svc-challenge.${name}`);
    }
    if (!claim) return;
    if (what === "publish") await this.#publish(claim, place);
    else if (what === "unpublish") await this.#unpublish(place);
    else if (what === "verify") await this.#verify(who, place, claim);
    else await this.#delete(who, place, claim);
  }

  async #claim(who: number, place: number, name: string, claim: Claim | undefined): Promise<void> {
    if (claim) {
      expect((await workspaceOf(who).post("/v1/domains/", { name })).status).toBe(409);
      return;
    }
    const domain = await register(workspaceOf(who), name);
    this.#claims.set(`${who} ${place}`, { domain, status: "pending", published: false, failedChecks: 0 });
  }

  async #publish(claim: Claim, place: number): Promise<void> {
    // One owner of the zone at a time, and no record twice.
    await this.#unpublish(place);
    await publishRecords(claim.domain, ["ownership", "dkim"]);
    claim.published = true;
  }

  async #unpublish(place: number): Promise<void> {
    for (const [key, { domain, published }] of this.#claims) {
      if (!key.endsWith(` ${place}`) || !published) continue;
      for (const { name } of domain.records) await unpublish(name);
    }
    for (const [key, claim] of this.#claims) if (key.endsWith(` ${place}`)) claim.published = false;
  }

  async #verify(who: number, place: number, claim: Claim): Promise<void> {
    const { status } = await verify(workspaceOf(who), claim.domain.id);
    const proves = claim.published && !this.#broken.has(place);
    // All places of a sequence lie above one another, so each keeps the others out of all of them.
    const taken = [...this.#claims].some(([key, other]) => !key.startsWith(`${who} `) && other.status === "verified");
    expect(status).toBe(proves && taken ? 409 : 200);
    if (proves && !taken) Object.assign(claim, { status: "verified", failedChecks: 0 });
  }

  async #delete(who: number, place: number, claim: Claim): Promise<void> {
    if (claim.published) await this.#unpublish(place);
    expect((await workspaceOf(who).call("DELETE", `/v1/domains/${claim.domain.id}`)).status).toBe(204);
    this.#claims.delete(`${who} ${place}`);
  }

  async #dayPasses(): Promise<void> {
    clock += DAY + 1000;
    const now = clock;
    await recheckDomains(testContext({}, () => now));
    for (const [key, claim] of this.#claims) {
      if (claim.status !== "verified" || this.#broken.has(Number(key.split(" ")[1]))) continue;
      claim.failedChecks = claim.published ? 0 : claim.failedChecks + 1;
      if (claim.failedChecks >= MAX_FAILED_CHECKS) claim.status = "failed";
    }
  }

  /** Who wins is open; that at most one does is checked after every step. */
  async #race(): Promise<void> {
    const all = [...this.#claims];
    await Promise.all(all.map(([key, { domain }]) => verify(workspaceOf(Number(key.split(" ")[0])), domain.id)));
    for (const [key, claim] of all) {
      const response = await workspaceOf(Number(key.split(" ")[0])).get(`/v1/domains/${claim.domain.id}`);
      const { status } = await response.json<DomainOut>();
      if (status !== claim.status) expect([claim.published, status]).toEqual([true, "verified"]);
      if (status === "verified" && claim.published && !this.#broken.has(Number(key.split(" ")[1])))
        claim.failedChecks = 0;
      claim.status = status;
    }
  }

  async #compare(): Promise<void> {
    const { results } = await env.DB.prepare(
      "SELECT id, workspace, status FROM domains WHERE name = ?1 OR name LIKE '%.' || ?1",
    )
      .bind(this.#name)
      .all<{ id: string; workspace: number; status: string }>();
    const owners = new Set(results.filter(({ status }) => status === "verified").map(({ workspace }) => workspace));
    expect(owners.size).toBeLessThanOrEqual(1);
    const known = [...this.#claims.values()].map(({ domain, status }) => `${domain.id} ${status}`);
    expect(results.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(known.sort());
  }
}

const workspaceOf = (who: number) => workspaces[who] as TestWorkspace;

it("claims, proofs, deletions and failing DNS in any order leave a name and its tree with one verified owner at most", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => new Sequence().run(steps)),
    { numRuns: RUNS },
  );
}, 1_800_000);
