import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { mail } from "../../support/databases.ts";
import { ERRORS } from "../../support/distance/rules.ts";
import { aMail, apiOn, aWorkspace, discardingQueue } from "../../support/workspace.ts";

/** Returns the bucket, of which the first calls of a method fail. */
function failingBucket(method: "put" | "uploadPart", failures: number) {
  const made = { calls: 0 };
  const failing = async <Result>(call: () => Promise<Result>) => {
    made.calls += 1;
    if (made.calls <= failures) throw new Error(ERRORS.R2.lost);
    return call();
  };
  const CONTENT = {
    put: (key: string, bytes: Uint8Array) =>
      method === "put" ? failing(() => env.CONTENT.put(key, bytes)) : env.CONTENT.put(key, bytes),
    delete: (key: string) => env.CONTENT.delete(key),
    async createMultipartUpload(key: string) {
      const upload = await env.CONTENT.createMultipartUpload(key);
      return {
        uploadPart: (number: number, part: Uint8Array) => failing(() => upload.uploadPart(number, part)),
        complete: (parts: R2UploadedPart[]) => upload.complete(parts),
        abort: () => upload.abort(),
      };
    },
  };
  return { bindings: { CONTENT, WORK: discardingQueue }, made };
}

describe("an email whose content goes to R2", () => {
  it("is accepted although R2 fails twice, and its content is there", async () => {
    const workspace = await aWorkspace();
    const { bindings, made } = failingBucket("put", 2);
    const text = "word ".repeat(8_000);
    const response = await apiOn(bindings, workspace.apiKey).post("/v1/emails/", aMail(workspace, { text }));
    expect(response.status).toBe(202);
    expect(made.calls).toBe(3);
    const { id } = (await response.json()) as { id: string };
    const detail = await workspace.get(`/v1/emails/${id}`);
    expect(((await detail.json()) as { text_body: string }).text_body).toBe(text);
  });

  it("is accepted although R2 fails while its attachment is uploaded in parts", async () => {
    const workspace = await aWorkspace();
    const { bindings, made } = failingBucket("uploadPart", 1);
    const attachments = [{ filename: "a.bin", content_base64: "QUJD".repeat(2_000_000) }];
    const response = await apiOn(bindings, workspace.apiKey).post("/v1/emails/", aMail(workspace, { attachments }));
    expect(response.status).toBe(202);
    expect(made.calls).toBeGreaterThan(2);
  });

  it("is refused with a 500 after the third failure, and nothing is stored", async () => {
    const workspace = await aWorkspace();
    const { bindings, made } = failingBucket("put", 3);
    const text = "word ".repeat(8_000);
    const response = await apiOn(bindings, workspace.apiKey).post("/v1/emails/", aMail(workspace, { text }));
    expect(response.status).toBe(500);
    expect(made.calls).toBe(3);
    const count = mail.prepare("SELECT count(*) AS n FROM emails WHERE workspace = ?1").bind(workspace.workspaceNumber);
    expect(await count.first("n")).toBe(0);
  });
});
