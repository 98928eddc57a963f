/** The content in the row of an email stays until it is in R2, whoever writes the outcome of the email. */

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { receiveEmail } from "../../../src/mailboxes/inbound/index.ts";
import { lines, report } from "../../mail/reports/samples.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { offloadContent } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { sentBy } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aMail, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aHit, consume } from "../tracking/support.ts";

const TEXT = `Grüße 😀 ${"x".repeat(2_000)}`;
const FOUR_DAYS = 96 * 3_600_000;

/** An email whose content is in its row. */
interface Accepted {
  workspace: TestWorkspace;
  id: string;
}

const accept = async (workspace: TestWorkspace, changes: Record<string, unknown> = {}): Promise<Accepted> => {
  const mail = aMail(workspace, { text: TEXT, ...changes });
  const { id } = await workspace.withoutQueue.create("/v1/emails/", mail);
  return { workspace, id };
};

/** Delivers an accepted email. Returns the return path of its transaction. */
async function dispatch(): Promise<string> {
  const [message] = await sentBy((EGRESS_URL) => runOutboxAt(Date.now(), { EGRESS_URL }));
  return pathIn(message?.mail);
}

const failure = report({
  blocks: [
    "Reporting-MTA: dns; mx.y.test",
    lines("Final-Recipient: rfc822; friend@example.org", "Action: failed", "Status: 5.1.1"),
  ],
});

async function receiveFailure(returnPath: string): Promise<void> {
  const bytes = new TextEncoder().encode(failure);
  const message = {
    ...{
      from: "",
      to: returnPath,
      headers: new Headers(),
      raw: new Blob([bytes]).stream(),
      rawSize: bytes.byteLength,
    },
    setReject: () => {},
  };
  await receiveEmail(message as unknown as ForwardableEmailMessage, env);
}

const writers: { what: string; status: string; write: (workspace: TestWorkspace) => Promise<Accepted> }[] = [
  {
    what: "a delivery",
    status: "delivered",
    async write(workspace) {
      const email = await accept(workspace);
      await dispatch();
      return email;
    },
  },
  {
    what: "a suppression at dispatch",
    status: "rejected",
    async write(workspace) {
      const email = await accept(workspace);
      await workspace.post("/v1/suppressions/", { email: "friend@example.org", reason: "manual" });
      await runOutboxAt(Date.now(), {});
      return email;
    },
  },
  {
    what: "a bounce report",
    status: "bounced",
    async write(workspace) {
      const email = await accept(workspace);
      await receiveFailure(await dispatch());
      return email;
    },
  },
  {
    what: "an open",
    status: "delivered",
    async write(workspace) {
      const email = await accept(workspace);
      await dispatch();
      await consume([aHit(workspace, email.id, { at: Date.now() + 3_600_000 })]);
      expect((await readEmail(workspace, email.id)).opened_count).toBe(1);
      return email;
    },
  },
  {
    what: "a cancel",
    status: "cancelled",
    async write(workspace) {
      const email = await accept(workspace, { send_at: new Date(Date.now() + 600_000).toISOString() });
      expect((await workspace.call("DELETE", `/v1/emails/scheduled/${email.id}`)).status).toBe(200);
      return email;
    },
  },
];

for (const { what, status, write } of writers) {
  it(`${what} leaves the content in the row until it is in R2`, async () => {
    await run("DELETE FROM outbox");
    const { workspace, id } = await write(await aWorkspace());
    const place = () =>
      database.row(
        "SELECT content IS NOT NULL AS isInRow, content_key IS NOT NULL AS isInR2 FROM emails WHERE id = ?1",
        [id],
      );
    expect(await readEmail(workspace, id)).toMatchObject({ status, text_body: TEXT });
    expect(await place()).toEqual({ isInRow: 1, isInR2: 0 });
    await offloadContent(testContext({}, () => Date.now() + FOUR_DAYS));
    expect(await place()).toEqual({ isInRow: 0, isInR2: 1 });
    expect(await readEmail(workspace, id)).toMatchObject({ status, text_body: TEXT });
    if (status !== "bounced") return;
    const retry = await workspace.withoutQueue.create(`/v1/emails/${id}/retry`, "");
    expect((await readEmail(workspace, retry.id)).text_body).toBe(TEXT);
  });
}
