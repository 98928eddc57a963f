import type { DomainOut } from "../../src/domains/domains/schema.ts";
import { publish } from "./dns-control.ts";
import type { TestWorkspace } from "./workspace.ts";

/** Returns a domain name that no other test uses. */
export const uniqueDomainName = () => `d${crypto.randomUUID().slice(0, 12)}.test`;

/** Registers a domain and returns it. */
export async function register(workspace: Pick<TestWorkspace, "post">, name = uniqueDomainName()): Promise<DomainOut> {
  const response = await workspace.post("/v1/domains/", { name });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<DomainOut>();
}

/** Publishes the records that the API returned, of all purposes or of some. */
export function publishRecords(domain: DomainOut, purposes?: string[]): Promise<void> {
  const selected = domain.records.filter(({ purpose }) => !purposes || purposes.includes(purpose));
  return publish(
    selected.map(({ type, name, value, priority }) => ({
      type,
      name,
      value,
      ...(priority === null ? {} : { priority }),
    })),
  );
}

/** Verifies a domain and returns the status code and the domain. */
export async function verify(workspace: Pick<TestWorkspace, "post">, id: string) {
  const response = await workspace.post(`/v1/domains/${id}/verify`, undefined);
  return { status: response.status, domain: await response.json<DomainOut>() };
}

/** Returns the status of each purpose's record, or the distinct statuses where there are several records. */
export function statusesOf(domain: DomainOut): Record<string, string> {
  const grouped = Map.groupBy(domain.records, ({ purpose }) => purpose);
  return Object.fromEntries(
    [...grouped].map(([purpose, records]) => [purpose, [...new Set(records.map((r) => r.status))].join(" ")]),
  );
}
