import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import { openMailStore } from "../../dev/captured-mail/mail-store.ts";
import { startCapturedMail } from "../../dev/captured-mail/server.ts";
import { startLocalDns } from "../../dev/dns/local.ts";
import { findTestPort } from "./support/ports.ts";

const directory = await mkdtemp(path.join(os.tmpdir(), "email-delivery-captured-"));
const store = await openMailStore(directory);
const port = await findTestPort();
const server = await startCapturedMail(port, store);
const dns = await startLocalDns(0, async () => []);

afterAll(async () => {
  await Promise.all([server.close(), dns.close()]);
  await rm(directory, { recursive: true, force: true });
});

const envelope = { from: "baaaa@bounces.mail.test", to: ["friend@example.org"] };
const save = (headers: string[]) => store.save(envelope, Buffer.from(`${headers.join("\r\n")}\r\n\r\nHello\r\n`));
const page = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();

/** Sends a GET request with any Host header and returns the status code. */
function statusFor(port: number, host: string, path = "/"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: "127.0.0.1", port, path, headers: { Host: host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on("error", reject);
  });
}

describe("the captured mail page", () => {
  it("lists the From header of each mail, not the return path", async ({ expect }) => {
    await save(["From: Example <hello@example.test>", "To: friend@example.org", "Subject: First"]);
    const html = await page();
    expect(html).toContain("Example &lt;hello@example.test&gt;");
    expect(html).not.toContain("bounces.mail.test");
  });

  it("lists a mail whose header section is empty, broken or hostile", async ({ expect }) => {
    await save([]);
    await save(["From: =?utf-8?B?PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==?= <x@example.test>", "Subject: <b>bold</b>"]);
    await store.save(envelope, Buffer.from([0, 13, 10, 255, 254]));
    const html = await page();
    expect(html).toContain("(no From header)");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toContain("<script>alert");
    expect(html).toContain("4 mails");
  });
});

describe("the servers of captured mail and DNS", () => {
  const local = ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"];
  const foreign = [
    "attacker.example",
    "127.0.0.1.attacker.example",
    "localhost.attacker.example",
    "192.0.2.1",
    "127.0.0.1:8789:1",
  ];

  it("serve requests for a local host name", async ({ expect }) => {
    for (const host of local) {
      expect(await statusFor(port, `${host}:${port}`), host).toBe(200);
      expect(await statusFor(dns.port, `${host}:${dns.port}`), host).toBe(200);
      expect(await statusFor(port, host), host).toBe(200);
    }
  });

  it("refuse requests for any other host name, so that DNS rebinding reads nothing", async ({ expect }) => {
    for (const host of foreign) {
      for (const path of ["/", "/messages", "/records"]) {
        expect(await statusFor(port, host, path), `${host} ${path}`).toBe(421);
        expect(await statusFor(dns.port, host, path), `${host} ${path}`).toBe(421);
      }
      expect(await statusFor(dns.port, `${host}:${dns.port}`, "/dns-query"), host).toBe(421);
    }
  });
});
