/** The Date header is the time of the email's `queued` event (docs/contract/emails.md#send-request). */
import { describe, expect, it } from "vitest";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { sendNow } from "../../../src/sending/emails/scheduled/send-now.ts";
import { acceptEmail, callerContext, outboxRowsOf } from "../../support/accept-email.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aWorkspace, recordingContext } from "../../support/workspace.ts";

const HOUR = 3_600_000;
const ACCEPTED_AT = Date.parse("2026-11-02T10:00:00.000Z");

/** Returns a context whose clock starts at ACCEPTED_AT, with a sink as its egress. */
async function setUp() {
  const server = await sinkServer();
  const clock = { now: ACCEPTED_AT };
  const { ctx } = recordingContext({ EGRESS_URL: server.url }, () => clock.now);
  const dates = async () => {
    const messages = await server.messages();
    return messages.map(({ raw }) => Date.parse(/^Date: (.+)$/m.exec(new TextDecoder().decode(raw))?.[1] ?? ""));
  };
  return { ctx, clock, dates, workspace: await aWorkspace() };
}

describe("the Date header", () => {
  it("is the time at which the email was accepted, also when the delivery is later", async () => {
    const { ctx, clock, dates, workspace } = await setUp();
    const id = await acceptEmail(ctx, workspace);
    clock.now += 5 * HOUR;
    await deliver(ctx, await outboxRowsOf(ctx, id), egressOf(ctx.settings));
    expect(await dates()).toEqual([ACCEPTED_AT]);
  });

  it("is the send time of a scheduled email, not the time at which it was accepted", async () => {
    const { ctx, clock, dates, workspace } = await setUp();
    const id = await acceptEmail(ctx, workspace, { send_at: new Date(ACCEPTED_AT + 30 * 24 * HOUR).toISOString() });
    clock.now += 30 * 24 * HOUR;
    await deliver(ctx, await outboxRowsOf(ctx, id), egressOf(ctx.settings));
    expect(await dates()).toEqual([ACCEPTED_AT + 30 * 24 * HOUR]);
  });

  it("is the time of the send-now call of a scheduled email", async () => {
    const { ctx, clock, dates, workspace } = await setUp();
    const id = await acceptEmail(ctx, workspace, { send_at: new Date(ACCEPTED_AT + 48 * HOUR).toISOString() });
    clock.now += HOUR;
    await sendNow(await callerContext(ctx, workspace), id);
    clock.now += 60_000;
    await deliver(ctx, await outboxRowsOf(ctx, id), egressOf(ctx.settings));
    expect(await dates()).toEqual([ACCEPTED_AT + HOUR]);
  });
});
