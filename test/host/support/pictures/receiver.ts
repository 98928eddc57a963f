/** A receiver of webhooks on this machine that fails until it is mended. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export async function startReceiver() {
  let isMended = false;
  let accepted = 0;
  const server = createServer((_request, response) => {
    if (isMended) accepted += 1;
    response.writeHead(isMended ? 204 : 500, { "Content-Type": "text/plain" });
    response.end(isMended ? undefined : "TypeError: cannot read properties of undefined (reading 'email')");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/email-events`,
    /** Makes it return 204 from now on. */
    mend: () => {
      isMended = true;
    },
    /** Number of requests that got 204. */
    accepted: () => accepted,
    stop: () => server.close(),
  };
}
