/** Mail programs that stay connected while the Worker behind the gateway is killed and starts again. */
import { expect, it } from "vitest";
import { startImapSite } from "./support/imap/site.ts";
import { perSuite } from "./support/suite.ts";

const site = perSuite(startImapSite);

it("a client that waits is told what changed while the Worker was gone", async () => {
  const client = await site.loggedIn("INBOX");
  client.write("a IDLE\r\n");
  expect(await client.line()).toBe("+ idling");
  await site.host.kill();
  await site.host.start();
  await site.receive("while it was gone");
  expect(await client.line()).toBe("* 1 EXISTS");
  expect(await client.line()).toBe("* 0 RECENT");
  client.write("DONE\r\n");
  expect(await client.line()).toBe("a OK IDLE is complete");
  client.end();
});
