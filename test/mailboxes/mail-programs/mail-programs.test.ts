/** The calls by which mail programs set up an account by its address. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Parser } from "htmlparser2";
import { describe, expect, it } from "vitest";
import { app } from "../../../src/app.ts";
import { apiOn, aWorkspace, perSuite } from "../../support/workspace.ts";

const SETTINGS = {
  PUBLIC_URL: "https://mail.example.com",
  SERVICE_NAME: "Mail & <More>",
  SMTP_HOST: "smtp.example.com",
  SMTP_PORT: "587",
  IMAP_HOST: "imap.example.com",
  IMAP_STARTTLS_PORT: "143",
};
const api = apiOn(SETTINGS, null);

const workspace = perSuite(aWorkspace);

/** Returns the texts of the elements of XML, as `name of parent/name: text`, in their order. */
function textsOf(xml: string): string[] {
  const path: string[] = [];
  const found: string[] = [];
  let text = "";
  const parser = new Parser(
    {
      onopentag: (name, { type }) => {
        path.push(type ? `${name}[${type}]` : name);
        text = "";
      },
      ontext: (part) => {
        text += part;
      },
      onclosetag: () => {
        if (text.trim() !== "") found.push(`${path.slice(-2).join("/")}: ${text}`);
        text = "";
        path.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  expect(path).toEqual([]);
  return found;
}

const encode = encodeURIComponent;
const autoconfig = (address: string, path = "/mail/config-v1.1.xml", at = api) =>
  at.get(`${path}?emailaddress=${encode(address)}`);
const profile = (address: string, at = api) => at.get(`/mail/profile.mobileconfig?emailaddress=${encode(address)}`);
const OUTLOOK = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";
const requestOf = (address: string, schema = OUTLOOK) => `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006">
  <Request><EMailAddress>${address}</EMailAddress><AcceptableResponseSchema>${schema}</AcceptableResponseSchema></Request>
</Autodiscover>`;
const autodiscover = (body: string, path = "/autodiscover/autodiscover.xml", at = api) =>
  at.call("POST", path, body, { "Content-Type": "text/xml" });

/** Addresses that are none, and texts that break out of XML. */
const INVALID = [
  "",
  "nobody",
  "a@b@c",
  "a b@example.org",
  "a\r\nb@example.org",
  "a\0@example.org",
  `${"x".repeat(70)}@example.org`,
];

describe("Autoconfig", () => {
  it("has the servers of the settings, TLS first, and no address", async () => {
    for (const path of ["/mail/config-v1.1.xml", "/.well-known/autoconfig/mail/config-v1.1.xml"]) {
      const response = await autoconfig("ada@shop.example", path);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "application/xml; charset=utf-8"]);
      const server = (name: string, host: string, port: number, socket: string) => [
        `${name}/hostname: ${host}`,
        `${name}/port: ${port}`,
        `${name}/socketType: ${socket}`,
        `${name}/username: %EMAILADDRESS%`,
        `${name}/authentication: password-cleartext`,
      ];
      expect(textsOf(await response.text())).toEqual([
        "emailProvider/domain: shop.example",
        "emailProvider/displayName: Mail & <More>",
        "emailProvider/displayShortName: Mail & <More>",
        ...server("incomingServer[imap]", "imap.example.com", 993, "SSL"),
        ...server("incomingServer[imap]", "imap.example.com", 143, "STARTTLS"),
        ...server("outgoingServer[smtp]", "smtp.example.com", 465, "SSL"),
        ...server("outgoingServer[smtp]", "smtp.example.com", 587, "STARTTLS"),
      ]);
    }
  });

  it("is for the domain of its host without an address, and for that of an address that is not encoded", async () => {
    const domainAt = async (url: string) => {
      const bindings = { ...env, ...SETTINGS } as Env;
      const response = await app.fetch(new Request(url), bindings, createExecutionContext());
      return [response.status, textsOf(await response.text())[0]];
    };
    const ofHost = [200, "emailProvider/domain: shop.test"];
    const queries = ["", "?emailaddress=", "?emailaddress=%25EMAILADDRESS%25", "?other=a", "?emailaddress=%ff"];
    for (const path of ["/mail/config-v1.1.xml", "/.well-known/autoconfig/mail/config-v1.1.xml"])
      for (const query of [...queries, ...INVALID.map((address) => `?emailaddress=${encode(address)}`)])
        expect(await domainAt(`https://autoconfig.shop.test${path}${query}`), path + query).toEqual(ofHost);
    const plain = await domainAt("https://autoconfig.x.test/mail/config-v1.1.xml?emailaddress=ann+x@shop.test");
    expect(plain).toEqual(ofHost);
    const long = await domainAt(`https://shop.test/mail/config-v1.1.xml?emailaddress=a@${"x".repeat(100_000)}.example`);
    expect(long).toEqual(ofHost);
  });

  it("writes an address with characters of XML as text", async () => {
    const response = await autoconfig('"<&\'>"@shop.example');
    expect([200, 422]).toContain(response.status);
    if (response.status === 200) textsOf(await response.text());
  });
});

describe("Autodiscover", () => {
  it("has the first server of each protocol, with the address as login, in any letter case of its path", async () => {
    for (const path of [
      "/autodiscover/autodiscover.xml",
      "/Autodiscover/Autodiscover.xml",
      "/AUTODISCOVER/autoDiscover.XML",
    ]) {
      const response = await autodiscover(requestOf("o&apos;neil+x@shop.example"), path);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "application/xml; charset=utf-8"]);
      const server = (type: string, host: string, port: number) => [
        `Protocol/Type: ${type}`,
        `Protocol/Server: ${host}`,
        `Protocol/Port: ${port}`,
        "Protocol/DomainRequired: off",
        "Protocol/LoginName: o'neil+x@shop.example",
        "Protocol/SPA: off",
        "Protocol/Encryption: SSL",
        "Protocol/AuthRequired: on",
      ];
      expect(textsOf(await response.text())).toEqual([
        "User/DisplayName: o'neil+x@shop.example",
        "Account/AccountType: email",
        "Account/Action: settings",
        ...server("IMAP", "imap.example.com", 993),
        ...server("SMTP", "smtp.example.com", 465),
      ]);
    }
  });

  it("has the servers without a login for a request with no or an empty address", async () => {
    for (const body of [requestOf(""), requestOf(" "), requestOf("").replace(/<EMailAddress>.*<.EMailAddress>/, "")]) {
      const texts = textsOf(await (await autodiscover(body)).text());
      expect(texts).toEqual(expect.arrayContaining(["Protocol/Server: imap.example.com", "Account/Action: settings"]));
      expect(texts.filter((text) => /LoginName|DisplayName/.test(text))).toEqual([]);
    }
    const plain = await autodiscover(requestOf("o'neil&co@shop.example"));
    expect(textsOf(await plain.text())).toContain("Protocol/LoginName: o'neil&co@shop.example");
  });

  it("responds with error 600 to an invalid address or another body, and 601 to ActiveSync", async () => {
    const errorOf = async (body: string) => textsOf(await (await autodiscover(body)).text())[0];
    for (const body of ["", "no XML", "<EMailAddress>", requestOf("nobody"), requestOf("a&lt;b&gt;"), "\0\r\n", "{}"])
      expect(await errorOf(body), body).toBe("Error/ErrorCode: 600");
    const entities = `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${requestOf("&e;@shop.example")}`;
    expect(await (await autodiscover(entities)).text()).not.toContain("root:");
    const mobile = "http://schemas.microsoft.com/exchange/autodiscover/mobilesync/responseschema/2006";
    expect(await errorOf(requestOf("ada@shop.example", mobile))).toBe("Error/ErrorCode: 601");
  });

  it("refuses a body beyond 16 KiB", async () => {
    expect((await autodiscover("<".repeat(17_000))).status).toBe(413);
    expect((await autodiscover(requestOf("ada@shop.example") + " ".repeat(15_000))).status).toBe(200);
  });

  it("is no page for GET", async () => {
    expect((await api.get("/autodiscover/autodiscover.xml")).status).toBe(405);
  });
});

describe("the profile for Apple's Mail", () => {
  it("has servers and address, no password, and the same identifiers each time", async () => {
    const response = await profile("ada@shop.example");
    expect([
      response.status,
      response.headers.get("Content-Type"),
      response.headers.get("Content-Disposition"),
    ]).toEqual([200, "application/x-apple-aspen-config; charset=utf-8", 'attachment; filename="mail.mobileconfig"']);
    const xml = await response.text();
    const texts = textsOf(xml).map((text) => text.replace(/^\w+\//, ""));
    const fieldOf = (key: string) => texts[texts.indexOf(`key: ${key}`) + 1];
    expect(fieldOf("EmailAddress")).toBe("string: ada@shop.example");
    expect(fieldOf("IncomingMailServerHostName")).toBe("string: imap.example.com");
    expect(fieldOf("IncomingMailServerPortNumber")).toBe("integer: 993");
    expect(fieldOf("OutgoingMailServerHostName")).toBe("string: smtp.example.com");
    expect(fieldOf("OutgoingMailServerPortNumber")).toBe("integer: 465");
    expect(xml).not.toMatch(/<key>(Incoming|Outgoing)Password<\/key>/);
    const uuids = (text: string) =>
      [...text.matchAll(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/g)].map(([uuid]) => uuid);
    expect(new Set(uuids(xml)).size).toBe(2);
    expect(await (await profile("ada@shop.example")).text()).toBe(xml);
    const other = uuids(await (await profile("bob@shop.example")).text());
    expect(other.filter((uuid) => uuids(xml).includes(uuid))).toEqual([]);
  });

  it("takes an address that is not encoded, and refuses what is no address", async () => {
    const plain = await api.get("/mail/profile.mobileconfig?emailaddress=ada+x@shop.example");
    expect(await plain.text()).toBe(await (await profile("ada+x@shop.example")).text());
    for (const address of INVALID) expect((await profile(address)).status, JSON.stringify(address)).toBe(422);
  });
});

describe("no response of a set-up", () => {
  it("tells whether an address exists", async () => {
    const existing = workspace.mailbox;
    const unknown = existing.replace("hello", "nobody");
    const ask = async (address: string) =>
      (
        await Promise.all(
          [await autoconfig(address), await autodiscover(requestOf(address)), await profile(address)].map((one) =>
            one.text(),
          ),
        )
      )
        .join("\n")
        .replaceAll(address, "ADDRESS")
        .replace(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/g, "UUID");
    expect(await ask(unknown)).toBe(await ask(existing));
  });

  it("is there where no IMAP is offered", async () => {
    const without = apiOn({ ...SETTINGS, IMAP_HOST: "" }, null);
    const responses = [
      await autoconfig("ada@shop.example", undefined, without),
      await autodiscover(requestOf("ada@shop.example"), undefined, without),
      await profile("ada@shop.example", without),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it("names a server whose port is not set", async () => {
    const ports = { IMAP_PORT: "0", SMTP_TLS_PORT: "0" };
    const texts = textsOf(
      await (await autoconfig("ada@shop.example", undefined, apiOn({ ...SETTINGS, ...ports }, null))).text(),
    );
    expect(texts.filter((text) => text.includes("/port:"))).toEqual([
      "incomingServer[imap]/port: 143",
      "outgoingServer[smtp]/port: 587",
    ]);
  });
});

describe("a host that begins with autoconfig or autodiscover", () => {
  it("serves the set-up and nothing else", async () => {
    const at = async (url: string, init?: RequestInit) =>
      (await app.fetch(new Request(url, init), { ...env, ...SETTINGS } as Env, createExecutionContext())).status;
    const query = "?emailaddress=ada@shop.example";
    expect(await at(`https://autoconfig.shop.example/mail/config-v1.1.xml${query}`)).toBe(200);
    const body = requestOf("ada@shop.example");
    expect(await at("https://autodiscover.shop.example/Autodiscover/Autodiscover.xml", { method: "POST", body })).toBe(
      200,
    );
    for (const host of ["autoconfig", "autodiscover"])
      for (const path of ["/", "/mail/sign-in", "/v1/me", "/openapi.json", "/mail/profile.mobileconfig"])
        expect(await at(`https://${host}.shop.example${path}${query}`), `${host} ${path}`).toBe(404);
  });
});
