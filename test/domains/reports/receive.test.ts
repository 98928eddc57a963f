import { beforeEach, describe, expect, it } from "vitest";
import { reportAddress } from "../../../src/domains/domains/index.ts";
import { DAY_MS } from "../../../src/lib/time.ts";
import type { CheckedAuthentication } from "../../../src/mail/authentication-results/stored-results.ts";
import { checkRecipient, receiveMail } from "../../../src/mailboxes/inbound/index.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { database } from "../../support/databases.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const { ctx } = recordingContext();
const NOW = ctx.now();
const GOOGLE = authenticated("google.com");

const workspace = perTest(aWorkspace);
let domainName: string;
let to: string;

beforeEach(async () => {
  domainName = workspace.mailbox.slice(workspace.mailbox.indexOf("@") + 1);
  to = reportAddress(workspace.domainId, ctx.settings.bounceDomain);
});

/** Returns what the receiving server found for a message of this domain. */
function authenticated(domain: string, result = "pass"): CheckedAuthentication {
  return { spf: null, dkim: [], dmarc: { result, domain }, dmarc_policy: "reject", arc: null };
}

interface Row {
  ip?: string;
  count?: number;
  dkim?: string;
  spf?: string;
  disposition?: string;
  from?: string;
}

const xmlRow = ({
  ip = "192.0.2.1",
  count = 1,
  dkim = "pass",
  spf = "pass",
  disposition = "none",
  from = domainName,
}: Row) =>
  `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row><identifiers><header_from>${from}</header_from></identifiers></record>`;

interface Report {
  id?: string;
  rows?: readonly Row[];
  domain?: string;
  /** Begin, in ms since 1970. */
  from?: number;
}

function dmarcMessage({ id = "r1", rows = [{}], domain = domainName, from = NOW - DAY_MS }: Report = {}): string {
  const begin = Math.floor(from / 1_000);
  const range = `<date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range>`;
  const head = `<report_metadata><org_name>Some Org</org_name><report_id>${id}</report_id>${range}</report_metadata>`;
  const body = `<feedback>${head}<policy_published><domain>${domain}</domain><p>none</p></policy_published>${rows.map(xmlRow).join("")}</feedback>`;
  return message("report.xml", "application/xml", body);
}

function tlsMessage(policies: readonly { domain: string; good: number; failures: Record<string, number> }[]): string {
  const day = new Date(NOW - DAY_MS).toISOString().slice(0, 10);
  const report = {
    ...{ "organization-name": "Some Org", "report-id": "t1" },
    "date-range": { "start-datetime": `${day}T00:00:00Z`, "end-datetime": `${day}T23:59:59Z` },
    policies: policies.map(({ domain, good, failures }) => ({
      policy: { "policy-type": "sts", "policy-domain": domain },
      summary: {
        "total-successful-session-count": good,
        "total-failure-session-count": Object.values(failures).reduce((sum, n) => sum + n, 0),
      },
      "failure-details": Object.entries(failures).map(([type, n]) => ({
        ...{ "result-type": type, "receiving-mx-hostname": "mx1.example", "failed-session-count": n },
      })),
    })),
  };
  return message("report.json", "application/tlsrpt+json", JSON.stringify(report));
}

const message = (name: string, type: string, body: string) =>
  `From: reports@google.com\r\nTo: ${to}\r\nMIME-Version: 1.0\r\nContent-Type: ${type}; name="${name}"\r\n\r\n${body}\r\n`;

/** Delivers a message to the address for reports. Returns the result in the log. */
async function deliver(raw: string, authentication: CheckedAuthentication | "in-header" | null = GOOGLE) {
  const logs: Record<string, unknown>[] = [];
  const logged: Ctx = { ...ctx, log: (event, fields) => logs.push({ event, ...fields }) };
  const bytes = new TextEncoder().encode(raw);
  const chunks = (async function* () {
    yield bytes;
  })();
  const size = bytes.length;
  const result = await receiveMail(logged, { from: "reports@google.com", to, raw: chunks, size, authentication });
  expect(result).toEqual({ accepted: true, kind: "domain-report" });
  return logs.find(({ event }) => event === "inbound.domain-report")?.result;
}

const reports = async (query = "") => {
  const response = await workspace.get(`/v1/domains/${workspace.domainId}/reports${query}`);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json() as Promise<Record<string, unknown>>;
};

const countRows = async () => {
  const tables = ["domain_reports", "dmarc_sources", "tls_sessions"];
  const sql = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE workspace = ?1)`).join(" + ");
  return (await database.row<{ n: number }>(`SELECT ${sql} AS n`, [workspace.workspaceNumber]))?.n;
};

describe("a report with odd records", () => {
  it("of DMARC counts without them, and says how many", async () => {
    expect(await deliver(dmarcMessage({ rows: [{ count: 3 }, { ip: "" }, { count: -1 }] }))).toBe("counted");
    expect(await reports()).toMatchObject({
      messages: 3,
      reporters: [{ organization: "google.com", reports: 1, skipped: 2 }],
    });
  });

  it("of TLS without a domain counts for the domain whose address it came to", async () => {
    const raw = tlsMessage([
      { domain: domainName, good: 5, failures: {} },
      { domain: "", good: 7, failures: {} },
      { domain: "other.example", good: 11, failures: {} },
    ]);
    for (const one of [raw, tlsMessage([{ domain: "", good: 7, failures: {} }]).replace("t1", "t2")])
      expect(await deliver(one)).toBe("counted");
    expect(await reports("?kind=tls")).toMatchObject({ sessions: 12 + 7 });
  });
});

describe("a DMARC report", () => {
  it("with mail of a server that is not aligned makes a finding with its address and count", async () => {
    const rows = [{ count: 60 }, { ip: "198.51.100.7", count: 40, dkim: "fail", spf: "fail" }];
    expect(await deliver(dmarcMessage({ rows }))).toBe("counted");
    const response = await workspace.get(`/v1/domains/${workspace.domainId}/health`);
    expect(await response.json()).toMatchObject({
      status: "warning",
      findings: [
        {
          ...{ code: "sender_not_aligned", subject: "198.51.100.7" },
          problem: expect.stringContaining("The server 198.51.100.7 sent 40 messages"),
          action: expect.stringContaining("switch DKIM on there"),
        },
      ],
    });
  });

  it("is summed by day and by server, with what passed", async () => {
    const rows = [
      { ip: "192.0.2.1", count: 90 },
      { ip: "192.0.2.1", count: 4, spf: "fail" },
      { ip: "2001:db8::7", count: 6, dkim: "fail", spf: "fail", disposition: "reject" },
    ];
    expect(await deliver(dmarcMessage({ rows }))).toBe("counted");
    expect(await reports("?period=7d")).toMatchObject({
      ...{ kind: "dmarc", period: "7d", messages: 100, aligned: 94 },
      reporters: [{ organization: "google.com", reports: 1, skipped: 0 }],
      sources: [
        {
          source: "192.0.2.1",
          host: null,
          service: null,
          messages: 94,
          dkim: 94,
          spf: 90,
          aligned: 94,
          quarantined: 0,
          rejected: 0,
        },
        { source: "2001:db8::7", messages: 6, dkim: 0, spf: 0, aligned: 0, quarantined: 0, rejected: 6 },
      ],
      advice: expect.stringContaining("6 % of the messages with this domain in From are not aligned (6)"),
    });
    const { days } = (await reports("?period=7d")) as { days: { date: string; messages: number }[] };
    expect(days).toHaveLength(7);
    expect(days.filter(({ messages }) => messages > 0)).toEqual([
      { date: new Date(NOW - DAY_MS).toISOString().slice(0, 10), messages: 100, aligned: 94 },
    ]);
  });

  it("counts once, however often it arrives, and also when two arrive at once", async () => {
    const raw = dmarcMessage({ rows: [{ count: 5 }] });
    await Promise.all([deliver(raw), deliver(raw)]);
    await deliver(raw);
    expect(await reports()).toMatchObject({ messages: 5, reporters: [{ reports: 1 }] });
    await deliver(dmarcMessage({ id: "r2", rows: [{ count: 7 }] }));
    expect(await reports()).toMatchObject({ messages: 12, reporters: [{ reports: 2 }] });
  });

  it("of the same id by another organisation counts apart", async () => {
    await deliver(dmarcMessage());
    await deliver(dmarcMessage(), authenticated("yahoo.com"));
    expect(await reports()).toMatchObject({ messages: 2, reporters: [{ reports: 1 }, { reports: 1 }] });
  });

  it("on a domain above counts for the messages from this domain and below it", async () => {
    const parent = domainName.slice(domainName.indexOf(".") + 1);
    const rows = [{ count: 1 }, { count: 2, from: `news.${domainName}` }, { count: 4, from: parent }];
    expect(await deliver(dmarcMessage({ domain: parent, rows }))).toBe("counted");
    expect(await reports()).toMatchObject({ messages: 3 });
  });
});

describe("a report changes nothing", () => {
  for (const [name, authentication] of [
    ["whose sender fails DMARC", authenticated("google.com", "fail")],
    ["whose sender has no DMARC record", authenticated("google.com", "none")],
    ["of which the receiving server says nothing", null],
    ["that claims a pass in its own header", "in-header"],
  ] as const)
    it(name, async () => {
      const forged = `Authentication-Results: mx.test; dmarc=pass header.from=google.com\r\n${dmarcMessage()}`;
      expect(await deliver(forged, authentication)).toBe("not authenticated");
      expect(await countRows()).toBe(0);
    });

  it("about another domain, or about time that is long over or to come", async () => {
    expect(await deliver(dmarcMessage({ domain: "elsewhere.example" }))).toBe("of another domain");
    expect(await deliver(dmarcMessage({ domain: `x${domainName}` }))).toBe("of another domain");
    expect(await deliver(tlsMessage([{ domain: "elsewhere.example", good: 1, failures: {} }]))).toBe(
      "of another domain",
    );
    expect(await deliver(dmarcMessage({ from: NOW - 40 * DAY_MS }))).toBe("too old");
    expect(await deliver(dmarcMessage({ from: NOW + 3 * DAY_MS }))).toBe("too old");
    expect(await countRows()).toBe(0);
  });

  it("that cannot be read, or is too large", async () => {
    expect(await deliver(dmarcMessage().slice(0, -40))).toBe("unreadable");
    expect(await deliver("Subject: Hello\r\n\r\nHello.\r\n")).toBe("unreadable");
    expect(await deliver(`${dmarcMessage()}${" ".repeat(5_000_000)}`)).toBe("too large");
    expect(await countRows()).toBe(0);
  });

  it("at an address of no domain, which is refused", async () => {
    const unknown = reportAddress(crypto.randomUUID(), ctx.settings.bounceDomain);
    expect(await checkRecipient(ctx, to)).toEqual({ accepted: true, kind: "domain-report" });
    expect(await checkRecipient(ctx, unknown)).toMatchObject({ accepted: false });
    expect(await checkRecipient(ctx, to.replace("@", "@x."))).toMatchObject({ accepted: false });
  });
});

describe("a TLS report", () => {
  it("is summed by day, type and server, and says what the most frequent failure means", async () => {
    const failures = { "certificate-expired": 7, "made-up": 1 };
    await deliver(tlsMessage([{ domain: domainName, good: 92, failures }]));
    expect(await reports("?kind=tls")).toMatchObject({
      ...{ kind: "tls", sessions: 100, failed: 8 },
      failures: [
        { type: "certificate-expired", server: "mx1.example", sessions: 7, meaning: expect.stringContaining("renew") },
        { type: "other", server: "mx1.example", sessions: 1, meaning: null },
      ],
      advice: expect.stringContaining("8 % of the connections failed (8). Most often the certificate has expired"),
    });
  });
});

describe("bounds", () => {
  it("a day tells at most twice a thousand servers apart, and the sums stay right", async () => {
    const row = (n: number) => ({ ip: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, count: 1 });
    for (const id of ["a", "b", "c"]) {
      const start = id.charCodeAt(0) * 10_000;
      await deliver(dmarcMessage({ id, rows: Array.from({ length: 1_500 }, (_, n) => row(start + n)) }));
    }
    expect(await reports()).toMatchObject({ messages: 4_500, aligned: 4_500 });
    expect(await countRows()).toBeLessThanOrEqual(2_000 + 3 + 1);
    const { sources } = (await reports()) as { sources: { source: string }[] };
    expect(sources).toHaveLength(50);
  });

  const EARLIER = JSON.stringify(Array.from({ length: 499 }, (_, n) => n));

  it("five hundred reports of a day count", async () => {
    await database.run(
      `INSERT INTO domain_reports (workspace, day, domain_id, kind, organization, report_id, id, received_at)
         SELECT ?1, ?2, ?3, 'dmarc', 'google.com', 'x' || value, 'x', 1 FROM json_each(?4)`,
      [workspace.workspaceNumber, Math.floor((NOW - DAY_MS) / DAY_MS), workspace.domainId, EARLIER],
    );
    await deliver(dmarcMessage({ id: "last" }));
    await deliver(dmarcMessage({ id: "one too many" }));
    expect(await reports()).toMatchObject({ messages: 1, reporters: [{ reports: 500 }] });
  });
});
