import { expect, it } from "vitest";
import { inPageWords } from "../../src/http/page-words.ts";
import { aSession } from "../support/sessions.ts";
import { aWorkspace } from "../support/workspace.ts";
import { submit } from "../web/dashboard/support.ts";

it.each([
  ["send_at must be between 1 minute and 30 days in the future", "Choose a time between 1 minute and 30 days from now"],
  ["url is refused: the host is not public", "Use the address of a public host"],
  ["local_part must not contain @; write hello for hello@example.com", "Enter only the part before the @"],
  ["A text that is for people already", "A text that is for people already"],
])("a page says for %s: %s", (message, words) => {
  expect(inPageWords(message)).toBe(words);
});

it("a form says at its field what to enter, in the words of people", async () => {
  const session = await aSession(await aWorkspace());
  for (const [path, fields, words] of [
    ["/app/domains", { name: "no domain" }, "Enter a domain such as example.com"],
    ["/app/webhooks/new", { url: "http://hooks.example.com/a", event: "email.sent" }, "Use an https:// address"],
    ["/app/suppressions", { email: "nobody" }, "Enter an address such as ada@example.org"],
  ] as const) {
    const response = await submit(session, path, { idempotency_key: crypto.randomUUID(), ...fields });
    expect([response.status, await response.text()], path).toEqual([422, expect.stringContaining(words)]);
  }
});
