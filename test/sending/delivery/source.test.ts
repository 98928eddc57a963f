import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { sealLinks } from "../../../src/lib/sealed-links.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** GET /v1/emails/:email_id/source (docs/contract/emails.md#source-of-an-email). */

const workspace = perTest(aWorkspace);

/** Sends an email that nothing delivers before the test does. */
async function send(changes: Record<string, unknown> = {}): Promise<string> {
  return (await workspace.withoutQueue.create("/v1/emails/", aMail(workspace, changes))).id;
}

const textOf = async (id: string) => new TextDecoder().decode(await (await sourceOf(id)).arrayBuffer());
const sourceOf = (id: string) => workspace.get(`/v1/emails/${id}/source`);

describe("the source of an email", () => {
  it("is the message with its headers, texts and attachments, and without Bcc", async () => {
    const file = { filename: "bill é.txt", content_type: "text/plain", content_base64: btoa("42 EUR") };
    const id = await send({
      ...{ to: [{ email: "ada@simulator.test", name: "Ada Lövelace" }], bcc: [{ email: "secret@simulator.test" }] },
      ...{ subject: "Receipt № 7", text: "Thank you", html: "<p>Thank you</p>", attachments: [file] },
      headers: { "X-Order": "1042" },
    });
    const response = await sourceOf(id);
    const bytes = await response.arrayBuffer();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "message/rfc822",
      "content-disposition": expect.stringContaining(`attachment; filename="email-${id}.eml"`),
      "x-content-type-options": "nosniff",
      "content-length": `${bytes.byteLength}`,
    });
    const message = await PostalMime.parse(bytes);
    expect(message.subject).toBe("Receipt № 7");
    expect(message.to).toEqual([expect.objectContaining({ address: "ada@simulator.test", name: "Ada Lövelace" })]);
    expect(message.text?.trim()).toBe("Thank you");
    expect(message.html).toContain("<p>Thank you</p>");
    expect(message.headers).toContainEqual(expect.objectContaining({ key: "x-order", value: "1042" }));
    expect(message.attachments.map(({ filename }) => filename)).toEqual(["bill é.txt"]);
    expect(new TextDecoder().decode(bytes)).not.toContain("secret@");
  });

  it("has long custom headers in folded lines", async () => {
    const references = Array.from({ length: 60 }, (_, n) => `<${n}.${"x".repeat(40)}@example.org>`);
    const source = await textOf(await send({ headers: { References: references.join(" ") } }));
    expect(source).toContain(`References: ${references.slice(0, 2).join("\r\n ")}\r\n ${references[2]}`);
    const response = await workspace.post("/v1/emails/", aMail(workspace, { headers: { "X-A": "x".repeat(994) } }));
    expect(response.status).toBe(422);
  });

  it("is signed once the email is sent, and not before", async () => {
    const id = await send({ to: [{ email: "delivered@simulator.test" }] });
    const before = await textOf(id);
    await runOutboxAt(Date.now());
    const after = await textOf(id);
    expect([before.includes("DKIM-Signature:"), after.includes("DKIM-Signature:")]).toEqual([false, true]);
    expect(after.endsWith(before)).toBe(true);
    expect(await textOf(id)).toBe(after);
  });

  it("keeps the links of emails of the service encrypted, which sign their reader in", async () => {
    const { settings } = testContext();
    const link = `${settings.publicUrl}/auth/magic/secret-token`;
    const text = await sealLinks(settings.masterKeys, `Sign in: ${link}`, settings.publicUrl);
    const id = await send({ text });
    await database.run("UPDATE emails SET source = 'system' WHERE id = ?1", [id]);
    const { text: shown } = await PostalMime.parse(await textOf(id));
    expect([shown?.includes("Sign in: "), shown?.includes("secret-token")]).toEqual([true, false]);
  });

  it("is not shown to other workspaces, and is not found when its content was deleted", async () => {
    const id = await send();
    expect((await sourceOf(id)).status).toBe(200);
    await database.run("UPDATE emails SET content = NULL, content_key = 'gone' WHERE id = ?1", [id]);
    expect((await sourceOf(id)).status).toBe(404);
    const other = await aWorkspace();
    expect((await other.get(`/v1/emails/${id}/source`)).status).toBe(404);
    expect((await other.get(`/v1/emails/${crypto.randomUUID()}/source`)).status).toBe(404);
  });
});
