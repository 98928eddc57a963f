import { randomBytes } from "node:crypto";
import { LOCAL_TOKEN, LOCAL_ZONES } from "../../../dev/dns-api/local.ts";
import { type Seeded, seedWorkspace } from "../../../dev/seed-workspace.ts";
import { openDkimKey, recheckDomains, tendZones } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { signMessage } from "../../../src/mail/dkim/sign.ts";
import { compose } from "../../../src/mail/mime/compose.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { readSenders } from "../../../src/sending/delivery/claim/read-senders.ts";
import type { Command, startDnsServers } from "../../support/dns-control-server.ts";
import { callerOf } from "./call-api.ts";
import { WORKER } from "./hosts/bundle.ts";
import { type Host, startHost } from "./hosts/in-process.ts";
import { collect } from "./read-back.ts";

export const HOUR_MS = 3_600_000;
/** TTL of the customer's CNAMEs, in seconds: a day, as many DNS providers set it. */
const CNAME_TTL = 86_400;
const NAME = "shop.test";

type Servers = Awaited<ReturnType<typeof startDnsServers>>;

/**
 * A service with one delegated domain, whose clock the test moves. The Worker registers and verifies the domain; from then on the jobs
 * of cron run in this process on its databases.
 */
export class Simulation {
  /** Names of both DKIM selectors. */
  readonly selectors: readonly string[];
  /** Milliseconds since 1970; it only grows. */
  now: number;
  readonly #host: Host;
  readonly #ctx: Ctx;
  readonly #seed: Seeded;
  readonly #domain: DomainOut;
  readonly #servers: Servers;

  private constructor(
    host: Host,
    env: Env,
    { seed, domain, servers }: { seed: Seeded; domain: DomainOut; servers: Servers },
  ) {
    this.#host = host;
    // Whole hours: once an hour the job of cron looks at the shared records too.
    this.now = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
    this.#ctx = { ...createContext(env, "simulation", () => this.now), log: () => {} };
    this.#seed = seed;
    this.#domain = domain;
    this.#servers = servers;
    this.selectors = domain.records.filter(({ purpose }) => purpose === "dkim").map(({ name }) => name);
  }

  /** Starts the service, and does all that a customer ever does: it registers a domain, publishes CNAMEs and verifies. */
  static async start(servers: Servers): Promise<Simulation> {
    const variables = {
      MASTER_KEYS: `1:${randomBytes(32).toString("base64")}`,
      DNS_RESOLVER_URL: `http://127.0.0.1:${servers.ports.dns}/dns-query`,
      DELEGATED_ZONES: LOCAL_ZONES.map(({ name, id, maxRecords }) => `${name}=${id}:${maxRecords}`).join(" "),
      DNS_API_URL: `http://127.0.0.1:${servers.ports.dns}/client/v4`,
      DNS_API_TOKEN: LOCAL_TOKEN,
    };
    const host = await startHost(WORKER, variables);
    const env = { ...host.env, ...variables } as Env;
    const workspace = { name: "Shop", email: "ada@example.test", domain: "example.test", mailboxLocalPart: "hello" };
    const seed = await seedWorkspace(createContext(env, "seed"), workspace);
    const callApi = callerOf(host.url, seed.apiKey);
    const call = (path: string, body: object) => callApi<DomainOut>("POST", path, body);
    const { id, records } = await call("/v1/domains/", { name: NAME, setup: "delegated" });
    const cnames = records.flatMap(({ type, name, value }) =>
      type === "CNAME" ? [{ type, name, value, ttl: CNAME_TTL }] : [],
    );
    await control(servers, { publish: cnames });
    const domain = await call(`/v1/domains/${id}/verify`, {});
    if (domain.status !== "verified") throw new Error(`the domain is ${domain.status}`);
    return new Simulation(host, env, { seed, domain, servers });
  }

  /** Makes the DNS API respond with 503, or as usual again. */
  async setOutage(isDown: boolean): Promise<void> {
    await control(this.#servers, { failApi: isDown ? "down" : null, zoneId: LOCAL_ZONES[0].id });
  }

  /** Runs the jobs of cron that tend domains. */
  async runCron(): Promise<void> {
    await tendZones(this.#ctx);
    await recheckDomains(this.#ctx);
  }

  /** Returns an email signed by the keys that a delivery reads now, and their ids. Throws when the domain may not send. */
  async sign(): Promise<{ message: Buffer; keys: string[] }> {
    const { workspaceNumber, mailboxId } = this.#seed;
    const query = {
      ...{ n: 0, emailId: this.#ctx.newId(), workspace: workspaceNumber, domainId: this.#domain.id, mailboxId },
      ...{
        fromKey: `hello@${NAME}`,
        userId: null,
        scope: { source: "api", isRetry: false },
        topic: null,
        recipientKeys: [],
      },
    };
    const { senders, keys } = await readSenders(this.#ctx, [query]);
    const status = senders.get(0)?.domain_status;
    if (status !== "verified") throw new Error(`the domain is ${status}`);
    const composed = compose(
      {
        ...{ id: query.emailId, messageId: `<${query.emailId}@${NAME}>`, date: new Date(this.now) },
        ...{ from: { email: `a@${NAME}` }, to: [{ email: "b@example.org" }], cc: [], headers: [], attachments: [] },
        ...{ subject: "Your order", text: "It is on its way." },
      },
      { smtpUtf8: false, eightBitMime: false },
    );
    const signing = keys.map(({ id, selector, algorithm, private_key: sealed }) => ({
      ...{ id, selector, algorithm, pkcs8: () => openDkimKey(this.#ctx, id, sealed) },
    }));
    const signed = await signMessage(composed, signing, { domain: NAME, now: new Date(this.now) });
    return { message: Buffer.from(await collect(signed.chunks())), keys: keys.map(({ id }) => id) };
  }

  /** Returns how many notifications about the domain its owner has got. Each could ask for an action. */
  async countNotifications(): Promise<number | null> {
    const count = "SELECT count(*) AS n FROM notifications WHERE href = ?1";
    return this.#ctx.db.prepare(count).bind(`/domains/${this.#domain.id}`).first<number>("n");
  }

  async stop(): Promise<void> {
    await this.#host.stop();
  }
}

async function control({ ports }: Servers, command: Command): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${ports.dnsControl}/`, {
    ...{ method: "POST", body: JSON.stringify(command) },
  });
  if (!response.ok) throw new Error(`DNS control: ${response.status} ${await response.text()}`);
}
