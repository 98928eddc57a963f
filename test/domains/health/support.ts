import type { DnsRecord } from "../../../dev/dns/record.ts";
import { findDomainWithKeys, reportAddress } from "../../../src/domains/domains/index.ts";
import type { DomainOut } from "../../../src/domains/domains/schema.ts";
import { evaluateHealth, type HealthOut } from "../../../src/domains/health/index.ts";
import { publish, replace, unpublish } from "../../support/dns-control.ts";
import { publishRecords, register, uniqueDomainName, verify } from "../../support/domains.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

/** A verified domain of its own workspace, whose records a test changes. */
export class Patient {
  readonly workspace: TestWorkspace;
  readonly domain: DomainOut;
  /** Variables of the deployment that examines it. */
  readonly settings: Record<string, unknown>;
  /** The clock, in ms since 1970. */
  now = Date.now();

  constructor(workspace: TestWorkspace, domain: DomainOut, settings: Record<string, unknown> = {}) {
    this.workspace = workspace;
    this.domain = domain;
    this.settings = settings;
  }

  get name(): string {
    return this.domain.name;
  }

  get reportAddress(): string {
    return reportAddress(this.domain.id, testContext().settings.bounceDomain);
  }

  /** Returns the record of a purpose; of DKIM that of RSA. */
  record(purpose: string): DomainOut["records"][number] {
    const found = this.domain.records.find((one) => one.purpose === purpose);
    if (!found) throw new Error(`no record ${purpose}`);
    return found;
  }

  /** Replaces all records at the name of a purpose by TXT values. */
  txt(purpose: string, ...values: string[]): Promise<void> {
    const { name } = this.record(purpose);
    return replace(
      name,
      values.map((value): DnsRecord => ({ type: "TXT", name, value })),
    );
  }

  /** Replaces the SPF and MX records at the name of the domain. */
  apex({
    spf = [this.record("spf").value],
    mx = [["10", this.record("mx").value]],
  }: {
    spf?: string[];
    mx?: string[][];
  }): Promise<void> {
    const txt = spf.map((value): DnsRecord => ({ type: "TXT", name: this.name, value }));
    const hosts = mx.map(
      ([priority, value = ""]): DnsRecord => ({ type: "MX", name: this.name, value, priority: Number(priority) }),
    );
    return replace(this.name, [...txt, ...hosts]);
  }

  remove(purpose: string): Promise<void> {
    return unpublish(this.record(purpose).name);
  }

  /** Examines the domain as the daily check does. */
  async examine(): Promise<HealthOut> {
    const found = await findDomainWithKeys(testContext(), this.domain.id);
    if (!found) throw new Error("the domain is gone");
    const now = this.now;
    await evaluateHealth(
      testContext(this.settings, () => now),
      found,
      true,
    );
    return this.health();
  }

  async health(): Promise<HealthOut> {
    const response = await this.workspace.get(`/v1/domains/${this.domain.id}/health`);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return response.json<HealthOut>();
  }
}

/** Returns a domain with all records published and verified. */
export async function aPatient({
  name = uniqueDomainName(),
  workspace = undefined as TestWorkspace | undefined,
} = {}): Promise<Patient> {
  const of = workspace ?? (await aWorkspace());
  const domain = await register(of, name);
  await publishRecords(domain);
  const { domain: verified } = await verify(of, domain.id);
  if (verified.status !== "verified") throw new Error(`the domain is ${verified.status}`);
  return new Patient(of, verified);
}

/** Publishes TXT records. */
export const publishTxt = (...records: [name: string, value: string][]): Promise<void> =>
  publish(records.map(([name, value]) => ({ type: "TXT", name, value })));
