import { HOST, type Layout } from "../layout.ts";

/** Where the Worker of the local service responds about the example shop (routes.ts). */
export const exampleUrl = (layout: Pick<Layout, "ports">) => `http://${HOST}:${layout.ports.api}/dev/example`;

/** Fills the example shop, and prints its lines. */
export async function printFilling(layout: Layout, gatewaySecret: string): Promise<void> {
  const headers = { Authorization: `Bearer ${gatewaySecret}` };
  const { body } = await fetch(exampleUrl(layout), { method: "POST", headers });
  for await (const text of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()))
    process.stdout.write(text);
}
