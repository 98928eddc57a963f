/**
 * The guard of URLs that customers give (docs/contract/webhooks.md#webhook-urls): before a webhook is made, changed or tested,
 * and before each request.
 */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isPublicAddress } from "../../../src/platform/public-urls/addresses.ts";
import { parsePublicUrl } from "../../../src/platform/public-urls/parse.ts";
import { failQueries, publish, replace } from "../../support/dns-control.ts";
import { aWorkspace, perSuite, testContext } from "../../support/workspace.ts";
import { canaryTouches, forgetDue, runAt, webhooksOf } from "./support.ts";

const options = { allowLoopback: false, ownHost: "api.mail.test" };
const isRefused = (url: string) => "problem" in parsePublicUrl(url, options);

/** Every notation of an address that is not public. */
const PRIVATE_HOSTS = [
  // Decimal, octal, hexadecimal, short and mixed forms of 127.0.0.1.
  ...[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.01",
    "0x7F.0x0.0x0.0x1",
  ],
  ...[
    "127.0.0.1.",
    "127.255.255.254",
    "0",
    "0.0.0.0",
    "00000177.1",
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "%31%32%37.0.0.1",
    "127。0。0。1",
  ],
  // Other ranges that are not public, and addresses of metadata.
  ...[
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.100.100.200",
    "169.254.169.254",
  ],
  ...[
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "168.63.129.16",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
  ],
  ...["203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.88.99.1"],
  // IPv6: loopback, unspecified, unique local, link-local, site-local, multicast, documentation, discard, Teredo.
  ...[
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[febf::1]",
    "[fec0::1]",
    "[ff02::1]",
  ],
  ...["[2001:db8::1]", "[3fff::1]", "[100::1]", "[2001::7f00:1]", "[2001:10::1]", "[5f00::1]"],
  // IPv6 that stands for IPv4: mapped, compatible, translated, NAT64 (also the local prefix), 6to4.
  ...[
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:a9fe:a9fe]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
  ],
  ...["[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2002:c0a8:101::]"],
  // Names of the machine, of its network and of metadata.
  ...[
    "localhost",
    "localhost.",
    "LOCALHOST",
    "a.localhost",
    "localhost.localdomain",
    "printer.local",
    "intranet",
    "db",
  ],
  ...["metadata.google.internal", "metadata", "router.lan", "nas.home.arpa", "api.mail.test"],
];

const PUBLIC_URLS = [
  "https://example.com/",
  "https://hooks.example.com/services/a?b=c#d",
  "https://example.com.:443/",
  "https://example.com:8443/x",
  "https://sub.sub.example.co.uk:3000/",
  "https://bücher.example/",
  "https://xn--bcher-kva.example/",
  "https://8.8.8.8/",
  "https://1.1.1.1:8443/",
  "https://172.32.0.1/",
  "https://100.63.255.255/",
  "https://192.169.0.1/",
  "https://[2606:4700:4700::1111]/",
  "https://[2a00:1450:4001:830::200e]:8443/",
  "https://[64:ff9b::808:808]/",
  "https://[2002:808:808::1]/",
  "https://localhost.example.com/",
  "https://127.0.0.1.example.com/",
  "https://internal.example.com/",
];

describe("the URL guard without DNS", () => {
  it.each(PRIVATE_HOSTS)("refuses https://%s/", (host) => {
    expect(isRefused(`https://${host}/`)).toBe(true);
    expect(isRefused(`https://${host}:8443/hook`)).toBe(true);
  });

  it.each(PUBLIC_URLS)("permits %s", (url) => {
    expect(parsePublicUrl(url, options)).toHaveProperty("url");
  });

  it.each([
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,a",
    "wss://example.com/",
    "//example.com/",
    "example.com",
    "https://",
    "https:///",
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://example.com@127.0.0.1/",
    "https://example.com:22/",
    "https://example.com:25/",
    "https://example.com:80/",
    "https://example.com:0/",
    "https://example.com:65536/",
    "https://exa mple.com/",
    "https://example.com/\u00a0",
    "https://example.com/\r\nX: y",
    " https://example.com/",
    "https://example.com/\tx",
    "https://a_b.example.com/",
    "https://[::1%25eth0]/",
    "https://1.2.3.4.5/",
    "https://256.1.1.1/",
  ])("refuses %j", (url) => {
    expect(isRefused(url)).toBe(true);
  });

  it("admits plain HTTP to this machine, and nothing else, where that is permitted", () => {
    const local = (url: string) => "url" in parsePublicUrl(url, { ...options, allowLoopback: true });
    expect(
      ["http://127.0.0.1:9000/", "http://localhost:25/", "http://[::1]/", "http://2130706433/"].filter(local),
    ).toHaveLength(4);
    expect(
      [
        "http://10.0.0.1/",
        "http://example.com/",
        "http://a.localhost/",
        "http://0.0.0.0/",
        "http://u:p@localhost/",
      ].filter(local),
    ).toEqual([]);
    expect(["https://127.0.0.1/", "https://localhost/"].filter(local)).toEqual([]);
  });

  it("knows no text as a public address that is none", () => {
    expect(
      ["", "1.2.3", "1.2.3.4.5", "a.b.c.d", "::g", "1::2::3", "12345::", ":", "1.2.3.4:80", "8.8.8.08"].filter(
        isPublicAddress,
      ),
    ).toEqual([]);
  });
});

describe("the URL guard with DNS", () => {
  const secure = { WEBHOOK_ALLOW_INSECURE: "off" };
  const api = perSuite(async () => webhooksOf(await aWorkspace(), secure));
  let touches = 0;
  const port = () => env.TEST_SERVERS.canary;
  const create = (url: string) => api.post("/v1/webhooks/", { url, events: ["email.sent"] });
  const newName = () => `h-${crypto.randomUUID()}.guard.test`;

  beforeAll(async () => {
    touches = await canaryTouches();
  });
  beforeEach(async () => void (await forgetDue()));

  const records: [string, { type: "A" | "AAAA"; value: string }[]][] = [
    ["a private address", [{ type: "A", value: "127.0.0.1" }]],
    [
      "a private address among public ones",
      [
        { type: "A", value: "93.184.215.14" },
        { type: "A", value: "169.254.169.254" },
      ],
    ],
    [
      "a private IPv6 address beside a public IPv4 address",
      [
        { type: "A", value: "93.184.215.14" },
        { type: "AAAA", value: "::1" },
      ],
    ],
    ["a mapped IPv6 address only", [{ type: "AAAA", value: "::ffff:10.0.0.1" }]],
    ["no address", []],
  ];
  it.each(records)("refuses a name with %s", async (_, found) => {
    const name = newName();
    await publish(found.map((record) => ({ name, ...record })));
    expect((await create(`https://${name}:${port()}/`)).status).toBe(422);
  });

  it("refuses a name whose chain of CNAMEs ends at a private address, and one that cannot be looked up", async () => {
    const [alias, target, failing] = [newName(), newName(), newName()];
    await publish([
      { name: alias, type: "CNAME", value: target },
      { name: target, type: "A", value: "10.1.2.3" },
    ]);
    await failQueries(failing, "servfail");
    expect((await create(`https://${alias}/`)).status).toBe(422);
    expect((await create(`https://${failing}/`)).status).toBe(422);
  });

  it("permits names with public addresses, of IPv4, IPv6 and by a CNAME", async () => {
    const [v4, v6, alias] = [newName(), newName(), newName()];
    await publish([
      { name: v4, type: "A", value: "93.184.215.14" },
      { name: v6, type: "AAAA", value: "2606:2800:21f:cb07:6820:80da:af6b:8b2c" },
      { name: alias, type: "CNAME", value: v4 },
    ]);
    for (const name of [v4, v6, alias]) expect((await create(`https://${name}/`)).status, name).toBe(201);
  });

  it("checks again at a change, a test, a replay and each delivery, when DNS responds otherwise", async () => {
    const name = newName();
    const url = `https://${name}:${port()}/`;
    await publish([{ name, type: "A", value: "93.184.215.14" }]);
    const { id } = await (await create(url)).json<{ id: string }>();
    expect((await api.post(`/v1/webhooks/${id}/test`, undefined)).status).toBe(200);
    const [delivery] = (await api.deliveries(id)).items;
    await replace(name, [{ name, type: "A", value: "127.0.0.1" }]);
    const calls = [
      await api.post(`/v1/webhooks/${id}/test`, undefined),
      await api.post(`/v1/webhooks/${id}/deliveries/${delivery?.id}/replay`, undefined),
      await api.call("PATCH", `/v1/webhooks/${id}`, { url }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([422, 422, 422]);
    await runAt(Date.now() + 1000, secure);
    expect(await api.delivery(delivery?.id ?? "")).toMatchObject({
      status: "retrying",
      response_status: null,
      error: "the URL is refused: the host has an address that is not public",
    });
  });

  it("refuses a stored URL with plain HTTP to this machine when that is no longer permitted", async () => {
    const local = webhooksOf(await aWorkspace());
    const { id } = await local.create(`http://127.0.0.1:${port()}/`);
    await local.post(`/v1/webhooks/${id}/test`, undefined);
    await runAt(Date.now() + 1000, secure);
    const [delivery] = (await local.deliveries(id)).items;
    expect(await local.delivery(delivery?.id ?? "")).toMatchObject({
      error: "the URL is refused: the URL must begin with https://",
    });
  });

  it("never touches the canary on this machine by any notation", async () => {
    const db = testContext().db;
    const { id } = await (await create("https://8.8.8.8/")).json<{ id: string }>();
    for (const host of PRIVATE_HOSTS.filter((one) => one !== "api.mail.test")) {
      for (const scheme of ["https", "http"]) {
        expect((await create(`${scheme}://${host}:${port()}/`)).status, `${scheme}://${host}`).toBe(422);
      }
      // A URL that an earlier version stored.
      await db.prepare("UPDATE webhooks SET url = ?2 WHERE id = ?1").bind(id, `https://${host}:${port()}/`).run();
      expect((await api.post(`/v1/webhooks/${id}/test`, undefined)).status, host).toBe(422);
    }
    expect(await canaryTouches()).toBe(touches);
  });
});
