import type { Domain } from "../dns/list-domains.ts";
import { HOST, type Layout } from "../layout.ts";

/** Where the Worker of the local service responds about the example shop (routes.ts). */
export const exampleUrl = (layout: Pick<Layout, "ports">) => `http://${HOST}:${layout.ports.api}/dev/example`;

const TIMEOUT_MS = 3_000;

/** Returns the domains of the example shop, for the local DNS server. Throws when the Worker does not respond. */
export async function exampleDomains(layout: Layout, gatewaySecret: string): Promise<Domain[]> {
  const headers = { Authorization: `Bearer ${gatewaySecret}` };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`${exampleUrl(layout)}/domains`, { headers, signal });
  if (!response.ok) throw new Error(`The Worker responded with ${response.status}: ${await response.text()}`);
  const domains = (await response.json()) as Domain[];
  // No host on this machine serves their policy by HTTPS, and an alert would say so.
  return domains.map((domain) => ({
    ...domain,
    records: domain.records.filter(({ purpose }) => !/mta_sts/.test(purpose)),
  }));
}

/** Fills the example shop, and prints its lines. */
export async function printFilling(layout: Layout, gatewaySecret: string): Promise<void> {
  const headers = { Authorization: `Bearer ${gatewaySecret}` };
  const { body } = await fetch(exampleUrl(layout), { method: "POST", headers });
  for await (const text of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()))
    process.stdout.write(text);
}
