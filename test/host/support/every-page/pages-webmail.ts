import { WORD } from "./names.ts";
import { type Pages, SEEDED } from "./state.ts";

const fileOf = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("A plan") });

/** Pages of webmail. */
export const WEBMAIL_PAGES: Pages = {
  "/mail/sign-in": { seeded: { as: "visitor" } },
  "/mail": SEEDED,
  "/mail/compose/:mailbox_id": {
    empty: {},
    reply: { query: "?reply=one&folder=INBOX&uid={uid}" },
    "saved reply": { act: (page) => page.getByText("Saved reply", { exact: true }).click() },
  },
  "/mail/scheduled/:mailbox_id": SEEDED,
  "/mail/folders/:mailbox_id": SEEDED,
  "/mail/import/:mailbox_id": SEEDED,
  "/mail/signature/:mailbox_id": SEEDED,
  "/mail/saved-replies/:mailbox_id": SEEDED,
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
    mine: { query: "?list=mine" },
    selected: { act: (page) => page.locator("ul.messages input[type=checkbox]").first().check() },
  },
  "/mail/:mailbox_id/:folder/:uid": {
    conversation: {},
    html: { ids: { uid: "html" } },
    reply: { query: "?reply=one" },
    "reply with files": {
      query: "?reply=one",
      act: async (page) => {
        await page.setInputFiles("[name=upload]", [fileOf("notes.txt"), fileOf(`${WORD}.txt`)]);
        await page.getByRole("button", { name: "Remove notes.txt" }).waitFor();
      },
    },
    "a reply waits to be sent": { ids: { uid: "replied" } },
  },
};
