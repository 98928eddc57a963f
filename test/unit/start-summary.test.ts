import { describe, expect, it } from "vitest";
import { readLayout } from "../../dev/layout.ts";
import type { LocalService } from "../../dev/local-file.ts";
import { summary } from "../../dev/summary.ts";

const layout = readLayout({ ...process.env, STATE_DIR: "/tmp/state" });
const local: LocalService = {
  ...{ base_url: "http://127.0.0.1:8787/v1", api_key: "svc_k_1", workspace_id: "w", domain: "example.test" },
  ...{ mailbox: "hello@example.test", sign_in_url: "http://127.0.0.1:8787/auth/magic-link/t", captured_mail_url: "c" },
  ...{ dns_url: "d", smtp: null, webmail: null, ports: layout.ports },
};

describe("the text of npm start", () => {
  it("has what belongs to the first workspace below its name", () => {
    const [service = "", own = ""] = summary(layout, local, null).split("The workspace Example,");
    expect(service).toContain("/auth/magic-link/t (signs in once, within 15 minutes)\n");
    for (const word of ["API key", "Sender", "Webmail", "Submission", "curl"]) {
      expect(service).not.toContain(word);
      expect(own).toContain(word);
    }
  });

  it("says that the sign-in link opens the example shop while it is there, and where its mailbox is", () => {
    const [service = ""] = summary(layout, local, { id: "m", address: "hello@lindqvist.test" }).split("The workspace");
    expect(service).toContain("15 minutes; opens Lindqvist & Daughters)\n");
    expect(service).toContain("http://127.0.0.1:8787/mail/m/INBOX (hello@lindqvist.test, ");
  });
});
