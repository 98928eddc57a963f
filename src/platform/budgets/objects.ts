import { type Budget, ofService } from "./budget.ts";

const ofContent = "the megabytes of content of the workspace";
const ofMessages = "a message of the mailbox has some, within its quota";

/** The budgets of the tables of a mailbox's Durable Object. Its migrations create tables by these names. */
export const mailboxBudgets = {
  folders: { rows: 500, of: "folders", remedy: "delete one first" },
  messages: { bound: "the quota of the mailbox" },
  labels: { rows: 200, of: "labels", remedy: "delete one first" },
  message_labels: { bound: ofMessages },
  thread_ids: { bound: ofMessages },
  addresses: { bound: ofMessages },
  deliveries: { bound: "one for each delivery, deleted after days" },
  deleted_objects: { bound: ofMessages },
  blocked_senders: { rows: 1_000, of: "blocked senders", remedy: "delete one first" },
  settings: { bound: "one for each name that the service knows" },
  uploads: { rows: 500, of: "uploaded files", remedy: "wait until the first are a day old" },
  auto_replied: { bound: "the replies of a mailbox in an hour are limited, and each is forgotten after days" },
  imports: { bound: "some run at once, and ended ones are deleted" },
  keywords: { rows: 200, of: "keywords", remedy: "use those that it has" },
  expunged: { bound: ofMessages },
  message_structures: { bound: ofMessages },
  structures_to_add: { bound: ofService },
  filters: { rows: 100, of: "filters", remedy: "delete one first" },
  thread_states: { bound: "a conversation has one, deleted with its last message" },
  thread_entries: { rows: 5_000, of: "notes", remedy: "delete one first" },
  thread_writers: { bound: "a person who writes has one for each conversation, deleted after a minute" },
  saved_replies: { rows: 100, of: "saved replies", remedy: "delete one first" },
} as const satisfies Record<string, Budget>;

/** The budgets of the indexes for full text, by the names of their virtual tables. */
export const searchBudgets = {
  email_search: { bound: "an email that is kept has one row" },
  message_search: { bound: ofMessages },
} as const satisfies Record<string, Budget>;

/** The budgets of the objects of a workspace in R2, by the folders of their keys (`r2Keys`). */
export const folderBudgets = {
  emails: { bound: ofContent },
  batches: { bound: ofContent },
  packs: { bound: ofContent },
  broadcasts: { bound: ofContent },
  templates: { bound: ofContent },
  pictures: { rows: 1_000, of: "pictures", remedy: "delete one first" },
} as const satisfies Record<string, Budget>;

/** The budgets of the other objects in R2, by the first part of their keys. */
export const prefixBudgets = {
  w: { bound: "the folders of the workspaces have budgets of their own" },
  mailboxes: { bound: "the quotas of the mailboxes" },
  responses: { bound: "a key and a session have a rate of calls, and answers are deleted after two days" },
} as const satisfies Record<string, Budget>;

/** The budget of all objects of a workspace in R2, in megabytes. */
export const contentBudget = {
  content: {
    rows: 50_000,
    isMeasured: true,
    of: "megabytes of content",
    remedy: "keep emails for fewer days",
  },
} as const satisfies Record<string, Budget>;
