/** Verifies signed requests with programs that share no code with the service: Python's hmac, openssl and standardwebhooks. */
import { spawnSync } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../../sdk/webhooks.ts";
import { newWebhookSecret } from "../../src/notices/webhooks/secrets.ts";
import { signedHeaders } from "../../src/notices/webhooks/sign.ts";
import { pythonUnavailable } from "../host/support/python.ts";

const BODIES = ['{"event":"email.delivered"}', '{"subject":"Grüße, 世界 🌍 \\u0000 \\" . "}', "", "x".repeat(100_000)];
const event = "email.delivered";
const deliveryId = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a86";

const sign = (body: string, secret: string, previous: string | null = null) =>
  signedHeaders({ deliveryId, event, body, secret, previous, now: Date.now() });

const signedText = (headers: Record<string, string>, body: string) =>
  `${headers["X-Service-Timestamp"]}.${headers["X-Service-Delivery-ID"]}.${headers["X-Service-Event"]}.${body}`;

/** Runs a program on a text. Returns what it prints. */
function run(program: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { input });
  if (status !== 0) throw error ?? new Error(stderr.toString());
  return stdout.toString().trim();
}

const PYTHON =
  "import hmac, hashlib, sys; print('sha256=' + hmac.new(sys.argv[1].encode(), sys.stdin.buffer.read(), hashlib.sha256).hexdigest())";

describe("the signature of a delivery", () => {
  it.skipIf(pythonUnavailable("hmac"))("is what Python's hmac computes with the whole secret as the key", async () => {
    for (const body of BODIES) {
      const [secret, previous] = [newWebhookSecret(), newWebhookSecret()];
      const headers = await sign(body, secret, previous);
      expect(headers["X-Service-Signature"]).toBe(run("python3", ["-c", PYTHON, secret], signedText(headers, body)));
      expect(headers["X-Service-Signature-Previous"]).toBe(
        run("python3", ["-c", PYTHON, previous], signedText(headers, body)),
      );
    }
  });

  it("is what openssl computes", async () => {
    for (const body of BODIES) {
      const secret = newWebhookSecret();
      const headers = await sign(body, secret);
      const digest = run("openssl", ["dgst", "-sha256", "-hmac", secret], signedText(headers, body));
      expect(headers["X-Service-Signature"]).toBe(`sha256=${digest.split("= ").at(-1)}`);
    }
  });

  it("is accepted by standardwebhooks with either secret of a rotation, and by no other", async () => {
    for (const body of BODIES.filter((text) => text.startsWith("{"))) {
      const [secret, previous, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
      const headers = await sign(body, secret, previous);
      for (const right of [secret, previous])
        expect(new Webhook(right).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new Webhook(other).verify(body, headers)).toThrow("No matching signature");
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow("No matching signature");
    }
  });

  it("is accepted by the client of this repository, until it is 300 seconds old", async () => {
    const [body = ""] = BODIES;
    const secret = newWebhookSecret();
    const headers = await sign(body, secret);
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(JSON.parse(body));
    const late = Date.now() + 302_000;
    await expect(verifyWebhook({ headers, body }, secret, { now: late })).rejects.toThrow("too old");
    await expect(verifyWebhook({ headers, body: `${body} ` }, secret)).rejects.toThrow("wrong");
  });
});
