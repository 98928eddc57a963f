/** A mailbox of a site with messages, and a browser that is signed in to it, for tests of webmail. */
import type { BrowserContextOptions } from "playwright-core";
import type { CallApi } from "./call-api.ts";
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
  const { mailboxId } = site.workspace;
  const call: CallApi = (method, path, body) => site.call(method, `/v1/inbox/${mailboxId}${path}`, body);
  return {
    path: (suffix: string) => `/mail/${mailboxId}${suffix}`,
    composePath: `/mail/compose/${mailboxId}`,
    call,
    createAppPassword: (name: string) => site.call("POST", `/v1/mailboxes/${mailboxId}/app-passwords`, { name }),

    /** Puts a message into the inbox, and returns its UID. */
    async receive(mail: Mail): Promise<number> {
      const draft = { to: ["ada@example.org"], text: "A text", ...mail };
      const { uid } = await call<{ uid: number }>("POST", "/drafts", draft);
      const place = await call<{ uid: number }>("POST", `/messages/${uid}/move?folder=Drafts`, { folder: "INBOX" });
      await call("POST", `/messages/${place.uid}/flags?folder=INBOX`, { seen: false });
      return place.uid;
    },

    /** Returns the subjects of a folder. */
    async subjects(folder: string): Promise<string[]> {
      const list = await call<{ items: { subject: string }[] }>(
        "GET",
        `/messages?folder=${encodeURIComponent(folder)}`,
      );
      return list.items.map(({ subject }) => subject);
    },

    /** Returns the newest message of a folder. */
    async newest(folder: string) {
      const { items } = await call<{ items: { uid: number }[] }>("GET", `/messages?folder=${folder}&limit=1`);
      return call<{ text: string; html: string | null }>("GET", `/messages/${items[0]?.uid}?folder=${folder}`);
    },

    /** Opens a browser that is signed in. */
    async open(options?: BrowserContextOptions) {
      const opened = await site.open(options);
      await opened.context.addCookies(await site.signIn());
      return opened;
    },
  };
}
