/** A daily limit counts the whole day, also the emails from before it was set. */
import { beforeAll, describe, expect, it } from "vitest";
import { findEmailsLeft } from "../../../src/platform/rate-limits/daily-emails.ts";
import { sendSystemEmail } from "../../../src/sending/system-emails/index.ts";
import { aContactList, broadcastsOf, emailsOf } from "../../audience/broadcasts/support.ts";
import { messagesOf } from "../../sending/submissions/support.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aGateway, aSubmitter } from "../../support/submissions.ts";
import {
  aMail,
  apiOn,
  aWorkspace,
  discardingQueue,
  perTest,
  recordingContext,
  testContext,
} from "../../support/workspace.ts";

const DAY = 86_400_000;

let admin: Awaited<ReturnType<typeof aSession>>;

beforeAll(async () => {
  const operator = await aWorkspace();
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [operator.userId]);
  admin = await aSession(operator);
});

const workspace = perTest(aWorkspace);

const limitTo = async (daily_limit: number | null) => {
  const path = `/v1/admin/workspaces/${workspace.workspaceId}/daily-limit`;
  expect((await admin.call("PUT", path, { daily_limit })).status).toBe(200);
};
/** Sets a limit of which no count is begun, as a deployment does by its settings. */
const limitOnly = (limit: number) =>
  database.run("UPDATE workspaces SET daily_limit = ?2 WHERE id = ?1", [workspace.workspaceId, limit]);
const send = () => workspace.post("/v1/emails/", aMail(workspace));
const sendAll = (emails: number) => Promise.all(Array.from({ length: emails }, send));
const accepted = () =>
  database.value<number>("SELECT count(*) AS emails FROM emails WHERE workspace = ?1", [workspace.workspaceNumber]);
const counted = () =>
  database.value<number>("SELECT day_emails FROM shard_workspaces WHERE number = ?1", [workspace.workspaceNumber]);
const refusal = async () => {
  const response = await send();
  return [response.status, (await response.json<{ detail: string }>()).detail];
};
const refusedAfter = (limit: number, emails: number) => [
  429,
  expect.stringContaining(`is ${limit} emails a day, of which ${emails} were accepted today`),
];

describe("a limit that is set during the day counts", () => {
  it("what every way to send has had accepted before, and not the emails of the service", async () => {
    await send();
    await workspace.post("/v1/emails/batch", [aMail(workspace), aMail(workspace)]);
    const to = ["friend@example.org"];
    await workspace.post(`/v1/inbox/${workspace.mailboxId}/send`, { to, subject: "A subject", text: "A text." });
    await workspace.post("/compat/resend/emails", {
      from: workspace.mailbox,
      to,
      subject: "A subject",
      text: "A text.",
    });
    const { token, gateway } = await aSubmitter(workspace, aGateway());
    const message = messagesOf(workspace).message({ Subject: "By SMTP" });
    await gateway.submitGroup(workspace.mailbox, [{ token, to: ["a@example.org"], text: message }]);
    const broadcasts = broadcastsOf(workspace);
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 3) });
    await workspace.post(`/v1/broadcasts/${id}/test`, { to });
    await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
    await runOutboxAt(Date.now(), {}, ["broadcast"]);
    expect(await emailsOf(id)).toHaveLength(3);
    expect(await accepted()).toBe(10);
    const ctx = testContext({ SYSTEM_MAILBOX: workspace.mailbox, WORK: discardingQueue });
    expect(
      await sendSystemEmail(ctx, {
        cause: "sign_in_link",
        to: "user@example.org",
        subject: "Sign in",
        parts: ["A link."],
      }),
    ).toBe(true);
    await limitTo(11);
    expect(await counted()).toBe(10);
    expect((await send()).status).toBe(202);
    expect(await refusal()).toEqual(refusedAfter(11, 11));
  });

  it("also a lowered, a raised and a removed limit of that day", async () => {
    await limitTo(5);
    await sendAll(3);
    await limitTo(2);
    expect(await refusal()).toEqual(refusedAfter(2, 3));
    await limitTo(4);
    expect((await send()).status).toBe(202);
    expect(await refusal()).toEqual(refusedAfter(4, 4));
    await limitTo(null);
    await sendAll(2);
    await limitTo(0);
    await sendAll(2);
    await limitTo(9);
    expect((await send()).status).toBe(202);
    expect(await refusal()).toEqual(refusedAfter(9, 9));
  });

  it("each email once while sends run", async () => {
    await sendAll(3);
    await limitTo(100);
    const limits = [50, 80, 50, 80].map((limit) => limitTo(limit));
    const statuses = (await Promise.all([sendAll(12), ...limits]))[0].map(({ status }) => status);
    expect(statuses).toEqual(Array(12).fill(202));
    expect([await accepted(), await counted()]).toEqual([15, 15]);
  });

  it("no email of the day before", async () => {
    const midnight = (Math.floor(Date.now() / DAY) + 2) * DAY;
    const acceptAt = (at: number) => acceptEmail(recordingContext({}, () => at).ctx, workspace);
    await acceptAt(midnight - 1);
    await acceptAt(midnight);
    await limitOnly(2);
    await acceptAt(midnight + 1);
    await expect(acceptAt(midnight + 1)).rejects.toMatchObject({ status: 429 });
    expect(await counted()).toBe(2);
  });
});

describe("a limit of the deployment that begins during the day counts", () => {
  it("what was accepted before, at the first send", async () => {
    await sendAll(2);
    const limited = apiOn({ WORK: discardingQueue, DAILY_EMAIL_LIMIT: "3" }, workspace.apiKey);
    const statuses = [
      await limited.post("/v1/emails/", aMail(workspace)),
      await limited.post("/v1/emails/", aMail(workspace)),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([202, 429]);
    expect([await accepted(), await counted()]).toEqual([3, 3]);
  });

  it("once, also when that send is refused", async () => {
    await sendAll(3);
    const { bindings, trips } = countingDb();
    const limited = apiOn({ ...bindings, WORK: discardingQueue, DAILY_EMAIL_LIMIT: "2" }, workspace.apiKey);
    const refuse = async () => {
      trips.length = 0;
      const response = await limited.post("/v1/emails/", aMail(workspace));
      expect([response.status, (await response.json<{ detail: string }>()).detail]).toEqual(refusedAfter(2, 3));
      return trips.length;
    };
    const rowsWritten = () => trips.reduce((total, trip) => total + (trip.rowsWritten ?? 0), 0);
    // The credential, the transaction that writes no email, and why.
    expect([await refuse(), rowsWritten(), await counted()]).toEqual([3, 1, 3]);
    expect([await refuse(), rowsWritten(), await counted()]).toEqual([3, 0, 3]);
  });

  it("what was accepted before, for automations", async () => {
    await sendAll(2);
    const left = async () => {
      const limited = { number: workspace.workspaceNumber, dailyLimit: 3 };
      return (await findEmailsLeft(testContext(), [limited])).get(workspace.workspaceNumber);
    };
    expect([await left(), await counted(), await left()]).toEqual([1, 2, 1]);
  });
});
