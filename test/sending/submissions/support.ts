import { expect } from "vitest";
import { readReturnPath } from "../../../src/platform/mail-tokens/return-path.ts";
import { database } from "../../support/databases.ts";
import { latin1 } from "../../support/outgoing-mail.ts";
import type { Detail } from "../../support/sending.ts";
import { sentBy } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { deliverTo } from "../../support/submissions.ts";
import { type TestWorkspace, testContext } from "../../support/workspace.ts";

export const crlf = (text: string) => text.replace(/\r?\n/g, "\r\n");

/** Returns the id of the email whose return path is in a MAIL command. */
async function emailOf(mail: string): Promise<string | undefined> {
  return (await readReturnPath(testContext().settings.masterKeys, pathIn(mail)))?.emailId;
}

/** Returns functions for the messages of one workspace. */
export function messagesOf(workspace: TestWorkspace) {
  const message = (head: Record<string, string> = {}, body = "Hello.\n") =>
    crlf(
      `${Object.entries({
        From: `Shop <${workspace.mailbox}>`,
        To: "friend@example.org",
        Subject: "A subject",
        ...head,
      })
        .map(([name, value]) => (value === "" ? "" : `${name}: ${value}\n`))
        .join("")}\n${body}`,
    );
  const detail = async (id = ""): Promise<Detail> =>
    (await workspace.withoutQueue.get(`/v1/emails/${id}`)).json<Detail>();
  const count = async () =>
    database
      .prepare("SELECT count(*) FROM emails WHERE workspace = ?1")
      .bind(workspace.workspaceNumber)
      .first<number>("count(*)");

  /**
   * Delivers an email and returns the bytes that left, as a binary string, without the two signatures. Each recipient gets the same.
   */
  async function sent(id = "") {
    const delivered = await sentBy((url) => deliverTo(url, id));
    // A delivery takes other emails that are due with it, also one with the same Message-ID.
    const ids = await Promise.all(delivered.map(({ mail }) => emailOf(mail)));
    const messages = delivered.filter((_, index) => ids[index] === id);
    expect(new Set(messages.map((one) => latin1(one.raw))).size).toBe(1);
    const raw = latin1(messages[0]?.raw);
    const rcpts = messages.flatMap((one) => one.rcpts);
    return { raw, unsigned: raw.replace(/^(DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*){2}/, ""), rcpts };
  }

  return { message, detail, count, sent };
}
