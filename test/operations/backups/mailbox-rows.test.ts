import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { inWriteOrder, planParts } from "../../../dev/backups/parts.ts";
import { readPage } from "../../../src/operations/backups/read-page.ts";
import { repairMailbox } from "../../../src/operations/backups/repair.ts";
import { findStore } from "../../../src/operations/backups/stores.ts";
import { describeTables } from "../../../src/operations/backups/tables.ts";
import { writeRows } from "../../../src/operations/backups/write-rows.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { testContext } from "../../support/workspace.ts";

it("a restored mailbox has every message, those of folders that its user made too", async () => {
  const inbox = await anInbox();
  for (const Subject of ["stays", "moved", "moved again"]) await inbox.receive({ Subject });
  for (const folder of ["Bills", "Bills/Paid"]) await inbox.call("POST", "/folders", { name: folder });
  await inbox.call("POST", "/messages/2/move", { folder: "Bills" });
  await inbox.call("POST", "/messages/3/move", { folder: "Bills/Paid" });
  const restored = crypto.randomUUID();
  expect(await copyRows(`mailbox-${inbox.workspace.mailboxId}`, `mailbox-${restored}`)).toEqual([]);
  for (const folder of ["INBOX", "Bills", "Bills/Paid"]) {
    const [before, after] = await Promise.all([listed(inbox.workspace.mailboxId, folder), listed(restored, folder)]);
    expect(before.items).toHaveLength(1);
    expect(after).toEqual(before);
  }
});

const listed = async (mailbox: string, folder: string) => {
  const page = await env.MAILBOX.getByName(mailbox).list(folder, { limit: 200, offset: 0 });
  if (!page) throw new Error(`${mailbox} has no folder ${folder}`);
  return { total: page.total, items: page.items };
};

/** Copies the rows of a mailbox as a backup and a restore do. Returns the rows that were refused. */
async function copyRows(from: string, to: string) {
  const [source, target] = [from, to].map((name) => findStore(testContext(), name));
  if (!source || !target) throw new Error("there is no such store");
  const read = [];
  for (const part of planParts(from, await describeTables(source), 0))
    read.push({ part, rows: await readPage(source, { ...part, after: null }) });
  const refused = [];
  for (const { part, rows } of inWriteOrder(to, read)) refused.push(...(await writeRows(target, { ...part, rows })));
  await repairMailbox(target, Date.now());
  return refused;
}
