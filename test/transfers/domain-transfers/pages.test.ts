import { beforeAll, describe, expect, it } from "vitest";
import type { TransferOut } from "../../../src/transfers/domain-transfers/schema.ts";
import { aMagicLink, browser } from "../../support/sign-ins.ts";
import { acceptById, age, aSystemWorkspace, aToken, DAY, initiate, ownerOf } from "../../support/transfers.ts";
import { aMail, aWorkspace, perTest, type TestWorkspace } from "../../support/workspace.ts";

/** The pages of mailed links: they ask for a sign-in and a click. */

const source = perTest(aWorkspace);
const target = perTest(aWorkspace);

beforeAll(aSystemWorkspace);
const signedIn = async (workspace: TestWorkspace) => {
  const visitor = browser();
  await visitor.post(await aMagicLink(await ownerOf(workspace)));
  return visitor;
};
const statusOf = async (id: string) =>
  (await (await source.get("/v1/domain-transfers/outgoing")).json<TransferOut[]>()).find((item) => item.id === id)
    ?.status;

describe("the accept page", () => {
  it("sends a visitor to the sign-in and back, shows what moves, and accepts by its button only", async () => {
    const { id } = await initiate(source, target);
    const path = `/domain-transfers/accept/${await aToken("accept", id)}`;
    const redirect = await browser().get(path);
    expect([redirect.status, redirect.headers.get("Location")]).toEqual([
      303,
      `/auth/sign-in?${new URLSearchParams({ next: path })}`,
    ]);
    const visitor = await signedIn(target);
    const page = await visitor.get(path);
    const html = await page.text();
    expect([page.status, html.includes(source.domain), html.includes("1 mailbox and 0 messages")]).toEqual([
      200,
      true,
      true,
    ]);
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(await statusOf(id)).toBe("pending");
    expect((await visitor.post(path, { decision: "accept" }, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect(await statusOf(id)).toBe("pending");
    const done = await visitor.post(path, { decision: "accept", target_org_id: target.workspaceId, rotate_dkim: "on" });
    expect([done.status, (await done.text()).includes("_domainkey")]).toEqual([200, true]);
    expect(await statusOf(id)).toBe("accepted");
    expect((await visitor.get(path)).status).toBe(404);
  });

  it("escapes the note, and declines by its other button", async () => {
    const response = await source.post(`/v1/domains/${source.domainId}/transfer`, {
      target_email: await ownerOf(target),
      note: "<script>alert(1)</script>",
    });
    const { id } = await response.json<TransferOut>();
    const path = `/domain-transfers/accept/${await aToken("accept", id)}`;
    const visitor = await signedIn(target);
    expect(await (await visitor.get(path)).text()).not.toContain("<script>");
    expect((await visitor.post(path, { decision: "decline" })).status).toBe(200);
    expect(await statusOf(id)).toBe("declined");
  });

  it("says why for another account, at the wrong time, and while something is scheduled", async () => {
    const { id } = await initiate(source, target);
    const path = `/domain-transfers/accept/${await aToken("accept", id)}`;
    const other = await (await signedIn(source)).get(path);
    expect([other.status, (await other.text()).includes("sent to a different account")]).toEqual([403, true]);
    const visitor = await signedIn(target);
    await source.post(
      "/v1/emails/",
      aMail(source, { subject: "Blocks it", send_at: new Date(Date.now() + 3_600_000).toISOString() }),
    );
    const blocked = await visitor.post(path, { decision: "accept" });
    expect([blocked.status, (await blocked.text()).includes("Blocks it")]).toEqual([409, true]);
    await age(id, 7 * DAY);
    expect((await visitor.get(path)).status).toBe(410);
    expect((await visitor.get("/domain-transfers/accept/unknown")).status).toBe(404);
  });
});

describe("the stop page", () => {
  it("stops by its button only, for the source workspace only", async () => {
    const { id } = await acceptById(target, (await initiate(source, target)).id);
    const path = `/domain-transfers/stop/${await aToken("stop", id)}`;
    expect((await browser().get(path)).status).toBe(303);
    expect((await (await signedIn(target)).get(path)).status).toBe(404);
    const visitor = await signedIn(source);
    const page = await visitor.get(path);
    expect([page.status, (await page.text()).includes("Stop the transfer")]).toEqual([200, true]);
    expect(await statusOf(id)).toBe("accepted");
    expect((await visitor.post(path)).status).toBe(200);
    expect(await statusOf(id)).toBe("reversed");
    expect((await visitor.post(path)).status).toBe(404);
  });
});
