/** `npm run admin -- egress check`: what it says about the host of an egress. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import path from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runWords } from "../../../dev/admin/run-words.ts";
import { checkBlocklists } from "../../../dev/egress/check/blocklists.ts";
import { createResolver } from "../../../dev/egress/check/dns.ts";
import type { Finding } from "../../../dev/egress/check/finding.ts";
import { type CheckOptions, checkEgress } from "../../../dev/egress/check/run.ts";
import { serverKeys } from "../../support/throwaway-ca.ts";
import { startTestDns, type ZoneEntry } from "../support/egress/dns.ts";

const NAME = "relay.example.com";
const ADDRESS = "192.0.2.10";
const IPV6 = "2001:db8::10";
const NOW = Date.now();

const ptrName = "10.2.0.192.in-addr.arpa";
const ptr6Name = `0.1.${"0.".repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa`;

type Zone = Record<string, ZoneEntry>;

/** A zone in which all is well. */
const goodZone: Zone = {
  [NAME]: { a: [ADDRESS], aaaa: [IPV6] },
  [ptrName]: { ptr: [NAME] },
  [ptr6Name]: { ptr: [NAME] },
  "bounces.example.com": { txt: ["v=spf1 include:spf.example.com -all"] },
  "spf.example.com": { txt: [`v=spf1 ip4:192.0.2.0/28 ip6:${IPV6} -all`] },
};

const servers: Server[] = [];
const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Starts a server on loopback. */
async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return portOf(server);
}

let greeting: number;
let busy: number;
let secure: string;
let starttls: string;
beforeAll(async () => {
  greeting = await listen(createServer((socket) => socket.on("error", () => {}).write("220 mx.example.org ESMTP\r\n")));
  busy = await listen(
    createServer((socket) => socket.on("error", () => {}).end("554 5.7.1 192.0.2.10 is blocked\r\n")),
  );
  secure = `smtps://127.0.0.1:${await listen(createTlsServer(serverKeys().local))}`;
  const plain = await listen(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.write("220 relay.example.com ESMTP\r\n");
      socket.on("data", (data) =>
        socket.write(String(data).startsWith("EHLO") ? "250 hello\r\n" : "502 no TLS here\r\n"),
      );
    }),
  );
  starttls = `smtp://127.0.0.1:${plain}`;
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** Runs the check with a zone and returns its findings. */
async function check(zone: Zone, options: CheckOptions = {}) {
  const dns = await startTestDns(zone);
  try {
    const given = { name: NAME, dns: dns.server, connect: `127.0.0.1:${greeting}`, egress: secure, ...options };
    const findings = await checkEgress(
      { domain: "bounces.example.com", ...given },
      { env: {}, outgoing: [], now: NOW },
    );
    return { findings, questions: dns.questions };
  } finally {
    dns.close();
  }
}

/** Returns the findings with a subject that begins so. */
const about = (findings: readonly Finding[], subject: string) =>
  findings.filter((finding) => finding.subject.startsWith(subject));

describe("a host that is well set up", () => {
  it("has nothing wrong, at its IPv4 and its IPv6 address", async () => {
    const { findings, questions } = await check(goodZone);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(about(findings, "PTR").map(({ subject }) => subject)).toEqual([`PTR of ${ADDRESS}`, `PTR of ${IPV6}`]);
    expect(questions).toContain("10.2.0.192.zen.spamhaus.org");
  });
});

describe("the names of a host", () => {
  const without = (name: string): Zone => Object.fromEntries(Object.entries(goodZone).filter(([key]) => key !== name));

  it("are wrong without a PTR record", async () => {
    const { findings } = await check(without(ptrName), { address: ADDRESS });
    expect(about(findings, "PTR")).toEqual([
      {
        subject: `PTR of ${ADDRESS}`,
        state: "wrong",
        text: expect.stringContaining("there is none"),
        advice: expect.stringContaining(`set it to ${NAME}`),
      },
    ]);
  });

  it("are wrong with the PTR record of another name", async () => {
    const zone = { ...goodZone, [ptrName]: { ptr: ["static-10.provider.example"] } };
    const { findings } = await check(zone, { address: ADDRESS });
    expect(about(findings, "PTR")[0]).toMatchObject({
      state: "wrong",
      text: `it is static-10.provider.example and not ${NAME}.`,
    });
  });

  it("are wrong when the name does not lead back to the address", async () => {
    const { findings } = await check({ ...goodZone, [NAME]: { a: ["192.0.2.99"] } }, { address: ADDRESS });
    expect(about(findings, "PTR")[0]).toMatchObject({
      state: "wrong",
      text: `it is ${NAME}, which does not resolve back to it.`,
    });
    expect(about(findings, "EHLO")[0]).toMatchObject({
      state: "wrong",
      text: `it resolves to 192.0.2.99 and not to ${ADDRESS}.`,
      advice: `publish the record "${NAME} A ${ADDRESS}".`,
    });
  });

  it("are wrong without an address, and then nothing is known of the source", async () => {
    const { findings } = await check(without(NAME));
    expect(about(findings, "EHLO")[0]).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("it has no address"),
    });
  });

  it("are not known when the resolver fails", async () => {
    const { findings } = await check({ ...goodZone, [ptrName]: { fails: "SERVFAIL" } }, { address: ADDRESS });
    expect(about(findings, "PTR")[0]).toMatchObject({
      state: "wrong",
      text: "the resolver has no answer (ESERVFAIL).",
    });
  });
});

describe("port 25", () => {
  const port = async (options: CheckOptions) =>
    about((await check(goodZone, { address: ADDRESS, ...options })).findings, "port 25")[0];

  it("is closed when nothing greets", async () => {
    const closed = createServer();
    const at = await listen(closed);
    closed.close();
    expect(await port({ connect: `127.0.0.1:${at}` })).toMatchObject({
      state: "wrong",
      text: expect.stringContaining(`127.0.0.1:${at} cannot be reached`),
      advice: expect.stringContaining("ask yours to open it"),
    });
  });

  it("is wrong when the server refuses this address, in its words", async () => {
    expect(await port({ connect: `127.0.0.1:${busy}` })).toMatchObject({
      state: "wrong",
      text: `127.0.0.1:${busy} answers "554 5.7.1 192.0.2.10 is blocked".`,
    });
  });

  it("is not tried without a server, and is tried at the best MX host of a domain", async () => {
    expect(await port({ connect: "" })).toMatchObject({ state: "unchecked", advice: expect.stringContaining("--to") });
    const zone: Zone = {
      ...goodZone,
      "example.org": {
        mx: [
          [20, "backup.invalid"],
          [10, "best.invalid"],
        ],
      },
      "best.invalid": { a: ["127.0.0.99"] },
    };
    const { findings } = await check(zone, { address: ADDRESS, connect: "", to: "example.org" });
    expect(about(findings, "port 25")[0]).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("best.invalid:25"),
    });
  });

  it.each(["a b:25:", ":25", "[::1"])("refuses %s, which is no host", async (connect) => {
    await expect(check(goodZone, { connect })).rejects.toThrow("--connect");
  });
});

describe("blocklists", () => {
  const zen = "10.2.0.192.zen.spamhaus.org";
  const spamcop = "10.2.0.192.bl.spamcop.net";
  const lists = async (zone: Zone, options: CheckOptions = {}) => {
    const { findings, questions } = await check({ ...goodZone, ...zone }, { address: ADDRESS, ...options });
    return { found: findings.filter(({ subject }) => subject.includes(" about ")), questions };
  };

  it("have an address, with the reason of the list and where it is removed", async () => {
    const listed = { a: ["127.0.0.2"], txt: ["https://check.spamhaus.org/query/ip/192.0.2.10"] };
    const { found } = await lists({ [zen]: listed });
    expect(about(found, "zen.spamhaus.org")).toEqual([
      {
        subject: `zen.spamhaus.org about ${ADDRESS}`,
        state: "wrong",
        text: "listed (127.0.0.2; https://check.spamhaus.org/query/ip/192.0.2.10).",
        advice: expect.stringContaining("ask for removal"),
      },
    ]);
  });

  it.each(["127.255.255.254", "127.255.255.255", "198.51.100.7"])(
    "that answer %s have not said anything about the address",
    async (code) => {
      const { found } = await lists({ [zen]: { a: [code] } });
      expect(about(found, "zen.spamhaus.org")[0]).toMatchObject({
        state: "unchecked",
        text: expect.stringContaining(code),
      });
    },
  );

  it("are those that the operator names", async () => {
    const { found } = await lists({}, { blocklists: "bl.example.net, bl.spamcop.net" });
    expect(found.map(({ subject }) => subject)).toEqual([
      `bl.example.net about ${ADDRESS}`,
      `bl.spamcop.net about ${ADDRESS}`,
    ]);
  });

  it.each(["8.8.8.8", "1.1.1.1", "9.9.9.9:53", "[2606:4700:4700::1111]:53", ""])(
    "that forbid public resolvers are not asked by %j, which is one or may be one",
    async (server) => {
      const dns = await startTestDns({});
      const servers = server === "" ? [] : [server];
      const found = await checkBlocklists(createResolver([dns.server]), ADDRESS, { zones: [], servers });
      dns.close();
      expect(found.map(({ state }) => state)).toEqual(["unchecked", "unchecked", "ok", "ok"]);
      expect(found[0]?.text).toContain("forbids public resolvers");
      expect(dns.questions).toEqual(["10.2.0.192.bl.spamcop.net", "10.2.0.192.psbl.surriel.com"]);
    },
  );

  it("have IPv6 addresses by their digits", async () => {
    const { questions } = await lists({}, { address: IPV6, blocklists: "bl.example.net" });
    expect(questions).toContain(`0.1.${"0.".repeat(22)}8.b.d.0.1.0.0.2.bl.example.net`);
  });

  it("listed by one of them does not hide the others", async () => {
    const { found } = await lists({ [spamcop]: { a: ["127.0.0.2"] } });
    expect(found.map(({ state }) => state)).toEqual(["ok", "ok", "wrong", "ok"]);
  });
});

describe("SPF", () => {
  const spf = async (text: string | null, domain: string | undefined = "bounces.example.com") => {
    const zone = text === null ? goodZone : { ...goodZone, "bounces.example.com": { txt: [text] } };
    return about((await check(zone, { address: ADDRESS, domain })).findings, "SPF")[0];
  };

  it.each([
    ["v=spf1 -all", "fail"],
    ["v=spf1 include:nothing.example.com -all", "permerror"],
    ["v=spf1 ?all", "neutral"],
    ["no record of SPF", "none"],
  ])("of %s is %s and wrong", async (text, result) => {
    expect(await spf(text)).toMatchObject({
      state: "wrong",
      text: `its result for ${ADDRESS} is "${result}" and not "pass".`,
      advice: expect.stringContaining(`add ip4:${ADDRESS}`),
    });
  });

  it("is not checked without a domain", async () => {
    expect(await spf(null, "")).toMatchObject({ state: "unchecked" });
  });
});

describe("the certificate", () => {
  const certificate = async (egress: string, now = NOW) => {
    const dns = await startTestDns(goodZone);
    try {
      const options = { name: NAME, address: ADDRESS, dns: dns.server, egress, connect: `127.0.0.1:${greeting}` };
      return about(await checkEgress(options, { env: {}, outgoing: [], now }), "certificate")[0];
    } finally {
      dns.close();
    }
  };

  it("is wrong 13 days before its end", async () => {
    const text = (await certificate(secure))?.text ?? "";
    const end = Date.parse(/\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? "");
    expect(await certificate(secure, end - 13 * 86_400_000)).toMatchObject({
      state: "wrong",
      text: expect.stringMatching(/it ends in 1[23] days/),
    });
  });

  it("is wrong when no authority has signed it", async () => {
    const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
      algorithm: "sha256",
    });
    const port = await listen(createTlsServer({ key, cert }));
    expect(await certificate(`smtps://127.0.0.1:${port}`)).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("it is not accepted"),
      advice: expect.stringContaining("fullchain.pem"),
    });
  });

  it("is wrong when the server has no STARTTLS", async () => {
    expect(await certificate(starttls)).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("502 no TLS here"),
    });
  });

  it.each(["smtp", "smtps"])("is wrong when the server closes the connection of %s", async (scheme) => {
    const port = await listen(createServer((socket) => socket.on("error", () => {}).end()));
    expect(await certificate(`${scheme}://127.0.0.1:${port}`)).toMatchObject({
      state: "wrong",
      text: expect.stringMatching(/^it could not be read: .*(closed|disconnected)/),
    });
  });

  it("is not checked where TLS is off", async () => {
    expect(await certificate(`${starttls}/?tls=off`)).toMatchObject({ state: "unchecked" });
  });

  it("is of an EGRESS_URL that can be read", async () => {
    await expect(certificate("https://relay.example.com")).rejects.toThrow("must start with smtp:// or smtps://");
  });
});

describe("the command", () => {
  const words = (dns: string) =>
    `egress check --name ${NAME} --address ${ADDRESS},${IPV6} --dns ${dns} --connect 127.0.0.1:${greeting} --egress ${secure} --domain bounces.example.com`;

  it("prints plain sentences when all is well", async () => {
    const dns = await startTestDns(goodZone);
    const report = await runWords(words(dns.server).split(" "));
    dns.close();
    expect(report).toContain(`ok     PTR of ${ADDRESS}: it is ${NAME}, which resolves back to it.`);
    expect(report.split("\n").at(-1)).toBe("Nothing is wrong.");
  });

  it("exits with 1 and says what to do when something is wrong", async () => {
    const dns = await startTestDns({ ...goodZone, [ptrName]: {} });
    const root = path.join(import.meta.dirname, "../../..");
    const flags = ["--disable-warning=ExperimentalWarning", path.join(root, "dev/admin.ts")];
    const run = promisify(execFile)(path.join(root, "node_modules/.bin/node"), [
      ...flags,
      ...words(dns.server).split(" "),
    ]);
    const { code, stderr } = await run.then(
      () => ({ code: 0, stderr: "" }),
      (error: { code: number; stderr: string }) => error,
    );
    dns.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`WRONG  PTR of ${ADDRESS}: there is none, and most receivers refuse such an address.`);
    expect(stderr).toContain(`To do: set it to ${NAME}`);
    expect(stderr).toContain("1 of 16 checks found something wrong.");
  });

  it("refuses an address that is none", async () => {
    await expect(runWords("egress check --address relay".split(" "))).rejects.toThrow("relay is no IP address");
  });
});
