import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifyWebhook, WebhookSignatureError } from "../../sdk/index.ts";

const root = path.join(import.meta.dirname, "../..");
const run = (args: string[], cwd = root) => promisify(execFile)(process.execPath, args, { cwd });

describe("the client", () => {
  it("has the operations and types of the OpenAPI document", async () => {
    await expect(run(["dev/setup.mjs", "dev/sdk.ts", "--check"])).resolves.toBeTruthy();
  });

  it("compiles the examples of its guide", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "email-delivery-guide-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const guide = await readFile(path.join(root, "docs/guides/client.md"), "utf8");
    const examples = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example = ""]) => example);
    expect(examples.length).toBeGreaterThan(5);
    await writeFile(path.join(folder, "guide.ts"), examples.join("\n"));
    const compilerOptions = {
      paths: { "email-delivery-client": [path.join(root, "sdk/index.ts")] },
      types: ["node"],
      typeRoots: [path.join(root, "node_modules/@types")],
    };
    const configuration = { extends: path.join(root, "tsconfig.json"), compilerOptions, include: ["guide.ts"] };
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(configuration));
    const result = await run([path.join(root, "node_modules/typescript/bin/tsc"), "-p", folder]).catch(
      (error) => error,
    );
    expect(result.stdout).toBe("");
  });

  it("is a package that runs in Node without dependencies", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "email-delivery-client-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await run(["dev/setup.mjs", "dev/sdk.ts", "--build", folder]);
    const server = createServer((request, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ path: request.url, key: request.headers.authorization }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const program = `import { createClient } from "./index.js";
      console.log(JSON.stringify(await createClient({ baseUrl: "http://127.0.0.1:${port}", apiKey: "k" }).getMe()));`;
    const { stdout } = await run(["--input-type=module", "--eval", program], folder);
    expect(JSON.parse(stdout)).toEqual({ path: "/v1/me", key: "Bearer k" });
  });
});

const secret = `whsec_${randomBytes(32).toString("base64")}`;
const oldSecret = `whsec_${randomBytes(32).toString("base64")}`;
const NOW = 1_795_000_000_000;
const body = JSON.stringify({ event: "email.delivered", email_id: "1", recipient: "ä@example.org", metadata: {} });

interface Signing {
  signer?: string;
  at?: number;
  content?: string;
}

/** Signs as docs/contract/webhooks.md#signature says. */
function serviceHeaders({ signer = secret, at = NOW, content = body }: Signing = {}) {
  const timestamp = String(Math.floor(at / 1000));
  const signed = `${timestamp}.delivery-1.email.delivered.${content}`;
  return {
    "X-Service-Signature": `sha256=${createHmac("sha256", signer).update(signed).digest("hex")}`,
    "X-Service-Timestamp": timestamp,
    "X-Service-Delivery-ID": "delivery-1",
    "X-Service-Event": "email.delivered",
  };
}

/** Signs as Standard Webhooks says. */
function standardHeaders({ signer = secret, at = NOW, content = body }: Signing = {}) {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(signer.slice("whsec_".length), "base64");
  const mac = createHmac("sha256", key).update(`delivery-1.${timestamp}.${content}`).digest("base64");
  return { "webhook-id": "delivery-1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}

const verify = (
  headers: Record<string, string>,
  content: string | Uint8Array = body,
  secrets: string | string[] = secret,
) => verifyWebhook({ headers, body: content }, secrets, { now: NOW });

describe.each([
  ["X-Service-Signature", serviceHeaders],
  ["Standard Webhooks", standardHeaders],
])("a webhook delivery with the signature of %s", (_, sign) => {
  it("is accepted with text, bytes, Headers and headers in lower case", async () => {
    const expected = JSON.parse(body);
    expect(await verify(sign())).toEqual(expected);
    expect(await verify(sign(), Buffer.from(body))).toEqual(expected);
    const lowerCase = Object.fromEntries(Object.entries(sign()).map(([name, value]) => [name.toLowerCase(), [value]]));
    expect(await verifyWebhook({ headers: lowerCase, body }, secret, { now: NOW })).toEqual(expected);
    expect(await verifyWebhook({ headers: new Headers(sign()), body }, secret, { now: NOW })).toEqual(expected);
  });

  it("is refused from 301 seconds of age on, and from 301 seconds in the future", async () => {
    for (const seconds of [-300, 300]) expect(await verify(sign({ at: NOW + seconds * 1000 }))).toBeTruthy();
    for (const seconds of [-301, 301])
      await expect(verify(sign({ at: NOW + seconds * 1000 }))).rejects.toThrow(WebhookSignatureError);
  });

  it("is refused when one character of the body, a signed header or the signature differs", async () => {
    await expect(verify(sign(), `${body} `)).rejects.toThrow(WebhookSignatureError);
    for (const [name, value] of Object.entries(sign())) {
      // Not near the end: the last character of base64 has bits that mean nothing.
      const changed = value.slice(0, 5) + (value.at(5) === "a" ? "b" : "a") + value.slice(6);
      await expect(verify({ ...sign(), [name]: changed }), name).rejects.toThrow(WebhookSignatureError);
      await expect(verify({ ...sign(), [name]: "" }), name).rejects.toThrow(WebhookSignatureError);
    }
  });

  it("is refused with another secret, an empty one, and none", async () => {
    for (const wrong of [oldSecret, "whsec_", "", []])
      await expect(verify(sign(), body, wrong)).rejects.toThrow(WebhookSignatureError);
  });

  it("is accepted with either of two secrets", async () => {
    expect(await verify(sign(), body, [oldSecret, secret])).toBeTruthy();
  });
});

describe("a webhook delivery during the rotation of its secret", () => {
  it("is accepted by receivers that know the new secret only, or the old one only", async () => {
    const previous = serviceHeaders({ signer: oldSecret })["X-Service-Signature"];
    const service = { ...serviceHeaders(), "X-Service-Signature-Previous": previous };
    const [first, second] = [standardHeaders(), standardHeaders({ signer: oldSecret })];
    const standard = { ...first, "webhook-signature": `${first["webhook-signature"]} ${second["webhook-signature"]}` };
    for (const headers of [service, standard])
      for (const known of [secret, oldSecret]) expect(await verify(headers, body, known)).toBeTruthy();
  });
});
