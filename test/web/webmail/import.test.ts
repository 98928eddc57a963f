import { describe, expect, it } from "vitest";
import { importNow } from "../../../src/mailboxes/inbox/archives/rules.ts";
import { startedImport } from "../../mailboxes/inbox/started-import.ts";
import { consumeQueues } from "../../support/queues.ts";
import { perTest } from "../../support/workspace.ts";
import { aMailbox } from "./support.ts";

consumeQueues("work");

const box = perTest(aMailbox);
const path = () => `/mail/import/${box.workspace.mailboxId}`;
const upload = (content: string) => box.submit(path(), [["file", new File([content], "old.mbox")]]);
const mail = (subject: string, bytes = 10) =>
  `From a Sat Nov 21 14:12:48 2026\r\nSubject: ${subject}\r\n\r\n${"text\r\n".repeat(bytes / 6)}\r\n`;

describe("the page that imports mail", () => {
  it("imports a small archive at once and says what became of its messages", async () => {
    const response = await upload(mail("One") + mail("Two"));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("2 messages were imported");
    expect((await box.list()).map(({ subject }) => subject).sort()).toEqual(["One", "Two"]);
  });

  it("starts a large one in the background, and shows its progress until it is done", async () => {
    const response = await upload(mail("Large", importNow.archiveBytes / 2).repeat(2) + mail("Small"));
    expect(response.headers.get("Location")).toBe(path());
    await expect.poll(async () => (await box.read(path())).text, { timeout: 20_000 }).toMatch(/Done 2 1 0/);
  });

  it("refreshes itself while an import runs, and only then", async () => {
    expect((await box.read(path())).html).not.toContain("data-poll");
    await startedImport(box.workspace.mailboxId);
    const { html, text } = await box.read(path());
    expect(html).toMatch(/id="imports" data-live="" data-poll=""/);
    expect(text).toContain("0% of");
  });

  it("shows the form again for a file that is no archive, and for none", async () => {
    for (const content of ["junk", ""]) {
      const response = await upload(content);
      expect(response.status).toBe(content === "" ? 400 : 422);
      expect(await response.text()).toContain("Imports in the background");
    }
  });
});
