/** A mailbox of a site with messages, and a browser that is signed in to it, for tests of webmail. */
import type { BrowserContextOptions } from "playwright-core";
import type { Site } from "./pages.ts";

interface Mail {
  subject: string;
  text?: string;
  html?: string;
  /** Message-ID of the message that it answers. */
  in_reply_to?: string;
}

/** Returns functions that act on the mailbox of a site. */
export function webmailOf(site: Site) {
  const { mailboxId, apiKey } = site.workspace;
  const callApi = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${site.host.url}/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body: body ? JSON.stringify(body) : null,
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const call = (method: string, path: string, body?: object) => callApi(method, `inbox/${mailboxId}${path}`, body);
  return {
    path: (suffix: string) => `/mail/${mailboxId}${suffix}`,
    composePath: `/mail/compose/${mailboxId}`,
    call,
    createAppPassword: (name: string) => callApi("POST", `mailboxes/${mailboxId}/app-passwords`, { name }),

    /** Puts a message into the inbox, and returns its UID. */
    async receive(mail: Mail): Promise<number> {
      const draft = { to: ["ada@example.org"], text: "A text", ...mail };
      const { uid } = (await (await call("POST", "/drafts", draft)).json()) as { uid: number };
      const moved = await call("POST", `/messages/${uid}/move?folder=Drafts`, { folder: "INBOX" });
      const place = (await moved.json()) as { uid: number };
      await call("POST", `/messages/${place.uid}/flags?folder=INBOX`, { seen: false });
      return place.uid;
    },

    /** Returns the subjects of a folder. */
    async subjects(folder: string): Promise<string[]> {
      const response = await call("GET", `/messages?folder=${encodeURIComponent(folder)}`);
      return ((await response.json()) as { items: { subject: string }[] }).items.map(({ subject }) => subject);
    },

    /** Returns the newest message of a folder. */
    async newest(folder: string) {
      const list = await call("GET", `/messages?folder=${folder}&limit=1`);
      const [item] = ((await list.json()) as { items: { uid: number }[] }).items;
      const message = await call("GET", `/messages/${item?.uid}?folder=${folder}`);
      return (await message.json()) as { text: string; html: string | null };
    },

    /** Opens a browser that is signed in. */
    async open(options?: BrowserContextOptions) {
      const opened = await site.open(options);
      await opened.context.addCookies(await site.signIn());
      return opened;
    },
  };
}

export type Webmail = ReturnType<typeof webmailOf>;
