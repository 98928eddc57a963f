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
  const response = await call(`${exampleUrl(layout)}/mailbox`, "GET", gatewaySecret);
  return (await response.json()) as ExampleMailbox | null;
}

/** Fills the example shop, and prints its lines. */
export async function printFilling(layout: Layout, gatewaySecret: string): Promise<void> {
  const { body } = await call(exampleUrl(layout), "POST", gatewaySecret);
  for await (const text of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()))
    process.stdout.write(text);
}

async function call(url: string, method: string, gatewaySecret: string): Promise<Response> {
  const response = await fetch(url, { method, headers: { Authorization: `Bearer ${gatewaySecret}` } });
  if (!response.ok) throw new Error(`The Worker responded with ${response.status}: ${await response.text()}`);
  return response;
}
