import { type Pages, SEEDED } from "./state.ts";

/** Pages of webmail. */
export const WEBMAIL_PAGES: Pages = {
  "/mail/sign-in": { seeded: { as: "visitor" } },
  "/mail": SEEDED,
  "/mail/compose/:mailbox_id": { empty: {}, reply: { query: "?reply=one&folder=INBOX&uid={uid}" } },
  "/mail/scheduled/:mailbox_id": SEEDED,
  "/mail/folders/:mailbox_id": SEEDED,
  "/mail/import/:mailbox_id": SEEDED,
  "/mail/signature/:mailbox_id": SEEDED,
  "/mail/blocked-senders/:mailbox_id": SEEDED,
  "/mail/password/:mailbox_id": SEEDED,
  "/mail/keyboard/:mailbox_id": SEEDED,
  "/mail/mail-programs/:mailbox_id": SEEDED,
  "/mail/auto-reply/:mailbox_id": SEEDED,
  "/mail/filters/:mailbox_id": SEEDED,
  "/mail/filters/:mailbox_id/:filter_id": SEEDED,
  "/mail/aliases/:mailbox_id": SEEDED,
  "/mail/labels/:mailbox_id/:label_id": SEEDED,
  "/mail/:mailbox_id/:folder": {
    seeded: {},
    searched: { query: "?q=order" },
    drafts: { ids: { folder: "drafts" } },
    empty: { ids: { folder: "trash" } },
    selected: { act: (page) => page.locator("ul.messages input[type=checkbox]").first().check() },
  },
  "/mail/:mailbox_id/:folder/:uid": {
    conversation: {},
    html: { ids: { uid: "html" } },
    reply: { query: "?reply=one" },
    "forward of files": { ids: { uid: "html" }, query: "?reply=forward" },
    "a reply waits to be sent": { ids: { uid: "replied" } },
  },
};
