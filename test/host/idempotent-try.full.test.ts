import { describe, expect, it } from "vitest";
import { chromiumUnavailable } from "./support/browser.ts";
import { openSite } from "./support/pages.ts";

describe.skipIf(chromiumUnavailable() !== null)("a developer who looks for idempotency in the reference", () => {
  // Eight steps before, by the Back button, and the second response looked like the first.
  it("sends an email twice with one key, in five steps from /docs, and sees that the second response is replayed", async () => {
    const site = await openSite("idempotent-try.test");
    const { page, context, problems } = await site.open();
    await context.addCookies(await site.signIn());
    await page.goto("/docs");
    const main = page.getByRole("main");
    const steps = [
      async () => {
        await page.getByLabel("Search the reference").fill("idempotent");
        await page.keyboard.press("Enter");
        await page.waitForURL(/q=idempotent/);
      },
      () => main.getByRole("link", { name: "Idempotency: Idempotency-Key" }).click(),
      () => main.getByRole("link", { name: "send an email twice with one key" }).click(),
      () => main.getByRole("button", { name: "POST /v1/emails/" }).click(),
      () => main.getByRole("button", { name: "Call again with the same key" }).click(),
    ];
    const texts: (string | null)[] = [];
    for (const step of steps) {
      await step();
      await page.waitForLoadState();
      texts.push(await main.textContent());
    }
    expect(texts[1]).toContain("Idempotency-Replayed: true");
    const idOf = (text: string | null = "") => /"id": "([^"]+)"/.exec(text ?? "")?.[1] ?? "none";
    expect(texts[3]).toContain("Response: 202");
    expect(texts[3]).not.toContain("Replayed");
    expect(texts[4]).toContain(
      "Replayed: the stored response of the first call with this key. Nothing was done again.",
    );
    expect(idOf(texts[4])).toBe(idOf(texts[3]));
    expect(await site.call("GET", "/v1/emails/")).toHaveLength(1);
    expect(problems).toEqual([]);
  }, 120_000);
});
