/** A mailbox that is opened in a browser, for tests of webmail. */
import { expect } from "vitest";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { openMailbox } from "../../support/mailbox-sessions.ts";
import type { browser } from "../../support/sign-ins.ts";
import { apiWith, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

interface Item {
  uid: number;
  folder: string;
  subject: string;
  labels: string[];
  has_attachments: boolean;
}

/** Returns a new mailbox whose owner is signed in to webmail. */
export async function aMailbox() {
  const workspace = await aWorkspace();
  return new Mailbox(workspace, await openMailbox(workspace));
}

class Mailbox {
  readonly workspace: TestWorkspace;
  readonly page: ReturnType<typeof browser>;

  constructor(workspace: TestWorkspace, page: ReturnType<typeof browser>) {
    this.workspace = workspace;
    this.page = page;
  }

  path(suffix: string): string {
    return `/mail/${this.workspace.mailboxId}${suffix}`;
  }

  receive(changes: Record<string, string> = {}, body?: string) {
    return deliver(this.workspace.mailbox, aRawMessage(changes, body));
  }

  /** Returns the text of a page, and its HTML. Fails unless it returns 200. */
  async read(of: string) {
    const response = await this.page.get(of);
    expect(response.status, of).toBe(200);
    const html = await response.text();
    return { html, text: toText(html) };
  }

  /** Submits a form whose fields may be repeated, or one with files. */
  async submit(path: string, fields: [string, string | File][]) {
    const cookies = Object.entries(this.page.jar).map(([name, value]) => `${name}=${value}`);
    const headers: Record<string, string> = { "Sec-Fetch-Site": "same-origin", Cookie: cookies.join("; ") };
    if (fields.every(([, value]) => typeof value === "string")) {
      headers["Content-Type"] = "application/x-www-form-urlencoded";
      return apiWith(null).call("POST", path, `${new URLSearchParams(fields as [string, string][])}`, headers);
    }
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value);
    const request = new Request("https://example.com", { method: "POST", body });
    headers["Content-Type"] = request.headers.get("Content-Type") ?? "";
    return apiWith(null).call("POST", path, request.body, headers);
  }

  async list(folder = "INBOX"): Promise<Item[]> {
    const path = `/v1/inbox/${this.workspace.mailboxId}/messages?folder=${encodeURIComponent(folder)}`;
    return (await (await this.workspace.call("GET", path)).json<{ items: Item[] }>()).items;
  }
}

export const toText = (html: string) =>
  html
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&quot;", '"')
    .replace(/\s+/g, " ");

/** Returns the values of the fields of a page with this name. */
export const valuesOf = (html: string, name: string) =>
  [...html.matchAll(/<(?:input|button)[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => tag.includes(` name="${name}"`))
    .map((tag) =>
      (/ value="([^"]*)"/.exec(tag)?.[1] ?? "")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"'),
    );
