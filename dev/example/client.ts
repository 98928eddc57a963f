import { HOST, type Layout } from "../layout.ts";

/** Where the Worker of the local service responds about the example shop (routes.ts). */
export const exampleUrl = (layout: Pick<Layout, "ports">) => `http://${HOST}:${layout.ports.api}/dev/example`;

/** The first mailbox of the example shop. */
export interface ExampleMailbox {
  id: string;
  address: string;
}

/** Returns the first mailbox of the example shop, or null when the shop is not there. */
export async function exampleMailbox(layout: Layout, gatewaySecret: string): Promise<ExampleMailbox | null> {
  const headers = { Authorization: `Bearer ${gatewaySecret}` };
  const response = await fetch(`${exampleUrl(layout)}/mailbox`, { headers });
  if (!response.ok) throw new Error(`The Worker responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as ExampleMailbox | null;
}

/** Fills the example shop, and prints its lines. */
export async function printFilling(layout: Layout, gatewaySecret: string): Promise<void> {
  const headers = { Authorization: `Bearer ${gatewaySecret}` };
  const { body } = await fetch(exampleUrl(layout), { method: "POST", headers });
  for await (const text of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()))
    process.stdout.write(text);
}
