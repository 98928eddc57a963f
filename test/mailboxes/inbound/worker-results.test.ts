import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readWorkerResults } from "../../../src/mailboxes/inbound/worker-results.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aRawMessage, deliver } from "./support.ts";

const ID = "mx.cloudflare.net";
const bindings = { EMAIL_WORKER_AUTHSERV_ID: ID };
const RECEIVED = "Received: from out.example.org (203.0.113.7)\r\n by cloudflare-email.net (cloudflare) id 7A\r\n";
const head = (results: string) => `${RECEIVED}Authentication-Results: ${ID}; ${results}\r\n`;
const read = (results: string, from: string | null = "example.org", above = "") =>
  readWorkerResults(`${RECEIVED}${above}Authentication-Results: ${ID}; ${results}\r\n\r\n`, ID, from);

describe("what the server before the Email Worker found", () => {
  it("has the words of the inbound log", () => {
    expect(
      read(
        "dkim=pass header.d=example.org header.s=s1; dkim=fail header.i=@b.example; dmarc=fail header.from=example.org policy.dmarc=REJECT; spf=none smtp.helo=out.example.org; spf=softfail smtp.mailfrom=ada@example.org; arc=fail",
      ),
    ).toEqual({
      spf: { result: "softfail", domain: "example.org" },
      dkim: [
        { result: "pass", domain: "example.org", selector: "s1" },
        { result: "fail", domain: "b.example", selector: null },
      ],
      dmarc: { result: "fail", domain: "example.org" },
      dmarc_policy: "reject",
      arc: "fail",
    });
    expect(read("none")).toEqual({ spf: null, dkim: [], dmarc: null, dmarc_policy: null, arc: null });
  });

  it("is nothing without a trusted server", () => {
    expect(readWorkerResults(`${head("dmarc=pass header.from=example.org")}\r\n`, "", "example.org")).toBeNull();
    expect(
      readWorkerResults(`${head("dmarc=pass header.from=example.org")}\r\n`, "other.example", "example.org"),
    ).toBeNull();
  });

  it("is the worst of several results, so that text of a sender improves none", () => {
    const fail = "dmarc=fail header.from=example.org policy.dmarc=reject";
    const pass = "dmarc=pass header.from=example.org";
    const envelopes = [
      `spf=pass (domain of "a); ${pass}; x=y (b"@evil.example) smtp.mailfrom=a@evil.example`,
      `spf=pass (domain of "a) ${pass} (b"@evil.example) smtp.mailfrom=a@evil.example`,
      `spf=pass smtp.mailfrom="a;${pass}"@evil.example`,
    ];
    for (const envelope of envelopes)
      for (const results of [`${fail}; ${envelope}`, `${envelope}; ${fail}`])
        expect(read(results)?.dmarc?.result, results).toBe("fail");
  });

  it("says that DMARC passed only for the domain of the From that is shown, and in a result that follows the grammar", () => {
    const pass = "dmarc=pass header.from=Example.ORG";
    expect(read(pass)?.dmarc?.result).toBe("pass");
    expect(read("dmarc=pass header.from=xn--bcher-kva.example", "bücher.example")?.dmarc?.result).toBe("pass");
    expect(read(pass, "bank.example")?.dmarc).toBeNull();
    expect(read(pass, null)?.dmarc).toBeNull();
    expect(read("dmarc=pass")?.dmarc).toBeNull();
    expect(read(`${pass} (a) or not`)?.dmarc).toBeNull();
    expect(read("dmarc=fail header.from=example.org", "bank.example")?.dmarc?.result).toBe("fail");
  });

  it("says that the seals are valid when the server has added its own to a message with none or valid ones", () => {
    const seal = "ARC-Seal: i=1; d=cloudflare-email.net; b=a\r\n";
    expect(read("arc=none", "example.org", seal)?.arc).toBe("pass");
    expect(read("arc=pass", "example.org", seal)?.arc).toBe("pass");
    expect(read("arc=fail", "example.org", seal)?.arc).toBe("fail");
    expect(read("arc=none")?.arc).toBe("none");
    expect(readWorkerResults(`${head("arc=none")}${seal}\r\n`, ID, null)?.arc).toBe("none");
  });
});

describe("mail at the Email Worker", () => {
  const workspace = perTest(aWorkspace);

  const fail = (policy: string) => head(`dmarc=fail header.from=example.org policy.dmarc=${policy}`);
  const place = async (message: string, settings: Record<string, string> = bindings) => {
    const { mailboxId } = workspace;
    expect(await deliver(workspace.mailbox, message, { bindings: settings })).toBeNull();
    for (const folder of ["INBOX", "Spam"]) {
      const [item] = (await env.MAILBOX.getByName(mailboxId).list(folder, { limit: 1, offset: 0 }))?.items ?? [];
      if (item && message.includes(item.messageId ?? "-")) return { folder, uid: item.uid };
    }
    throw new Error("The message was not stored");
  };

  it("goes to Spam when it fails DMARC with quarantine or reject, and to INBOX otherwise", async () => {
    for (const [above, folder] of [
      [fail("quarantine"), "Spam"],
      [fail("reject"), "Spam"],
      [fail("none"), "INBOX"],
      [head("dmarc=pass header.from=example.org"), "INBOX"],
      ["", "INBOX"],
    ] as const)
      expect((await place(`${above}${aRawMessage()}`)).folder, above).toBe(folder);
    expect((await place(`${fail("reject")}${aRawMessage()}`, {})).folder, "without the setting").toBe("INBOX");
  });

  it("goes to Spam when its author has no address, as at the gateway", async () => {
    const pass = head("dmarc=pass header.from=example.org");
    for (const from of ["ceo@bank.example ann@example.org", "<ceo@bank.example>@example.org"]) {
      const message = aRawMessage().replace(/^From: .*$/m, `From: ${from}`);
      expect(message).toContain(from);
      expect((await place(`${pass}${message}`)).folder, from).toBe("Spam");
    }
  });

  it("is not taken out of Spam, nor into it, by results that its sender has written", async () => {
    const forged = `Authentication-Results: ${ID}; dmarc=pass header.from=example.org\r\n`;
    expect((await place(`${fail("reject")}${forged}${aRawMessage()}`)).folder).toBe("Spam");
    expect((await place(`${RECEIVED}${fail("reject")}${aRawMessage()}`)).folder).toBe("INBOX");
  });

  it("shows what the server found, and nothing that a sender has written", async () => {
    const results = async ({ folder, uid }: { folder: string; uid: number }) => {
      const path = `/v1/inbox/${workspace.mailboxId}/messages/${uid}?folder=${folder}`;
      const { authentication } = await (await workspace.get(path)).json<{
        authentication: { dmarc: unknown } | null;
      }>();
      return authentication?.dmarc ?? null;
    };
    const pass = head("dmarc=pass header.from=example.org");
    expect(await results(await place(`${pass}${aRawMessage()}`))).toEqual({ result: "pass", domain: "example.org" });
    expect(await results(await place(`${RECEIVED}${pass}${aRawMessage()}`))).toBeNull();
    expect(await results(await place(`${pass}${aRawMessage()}`, {}))).toBeNull();
  });
});
