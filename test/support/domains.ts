import type { DomainOut } from "../../src/domains/schema.ts";
import { publish } from "./dns-control.ts";
import type { TestWorkspace } from "./workspace.ts";

/** A name that no other test uses. */
export const aName = () => `d${crypto.randomUUID().slice(0, 12)}.test`;

/** Registers a name and answers the record. */
export async function register(workspace: Pick<TestWorkspace, "post">, name = aName()): Promise<DomainOut> {
  const response = await workspace.post("/v1/domains/", { name });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<DomainOut>();
}

/** Puts records into DNS as their owner would: exactly what the API said. */
export function publishRecords(domain: DomainOut, purposes?: string[]): Promise<void> {
  const wanted = domain.records.filter(({ purpose }) => !purposes || purposes.includes(purpose));
  return publish(
    wanted.map(({ type, name, value, priority }) => ({ type, name, value, ...(priority ? { priority } : {}) })),
  );
}

export async function verify(workspace: Pick<TestWorkspace, "post">, id: string) {
  const response = await workspace.post(`/v1/domains/${id}/verify`, undefined);
  return { status: response.status, domain: await response.json<DomainOut>() };
}

/** The status of each kind of record; of several, all of them. */
export function statusesOf(domain: DomainOut): Record<string, string> {
  const grouped = Map.groupBy(domain.records, ({ purpose }) => purpose);
  return Object.fromEntries(
    [...grouped].map(([purpose, records]) => [purpose, [...new Set(records.map((r) => r.status))].join(" ")]),
  );
}
