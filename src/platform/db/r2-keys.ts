import type { folderBudgets, prefixBudgets } from "../budgets/objects.ts";

/** The first parts of all keys: one without a budget does not compile. */
const PREFIX = { w: "w/", mailboxes: "mailboxes/", responses: "responses/" } as const satisfies Record<
  keyof typeof prefixBudgets,
  string
>;

/** Returns the key of an object in a folder of a workspace: a folder without a budget does not compile. */
const inFolder = (workspaceId: string, folder: keyof typeof folderBudgets, ...names: string[]) =>
  [PREFIX.w + workspaceId, folder, ...names].join("/");

/** Keys of objects in R2. Every key of a workspace begins with its id, so a prefix selects its objects. */
export const r2Keys = {
  /** Attachments, then the content document, of one email. */
  email: (workspaceId: string, emailId: string) => inFolder(workspaceId, "emails", emailId),
  /** The content of all emails of one batch, packed. */
  batch: (workspaceId: string, batchId: string) => inFolder(workspaceId, "batches", batchId),
  /** Content documents that were in the rows of emails first, packed. The ids of the first and the last email find the rows. */
  pack: (workspaceId: string, firstId: string, lastId: string, packId: string) =>
    inFolder(workspaceId, "packs", firstId, lastId, packId),
  /**
   * The content of one variant of a broadcast; `own` is the broadcast's own content, `test-<id>` that of a test. The ids of
   * the emails of a test are generated after that id, by the same request.
   */
  broadcast: (workspaceId: string, broadcastId: string, variantId: string) =>
    inFolder(workspaceId, "broadcasts", broadcastId, variantId),
  /** Bodies and blocks of a large template, as of one edit. */
  template: (workspaceId: string, templateId: string, editId: string) =>
    inFolder(workspaceId, "templates", templateId, editId),
  /** A picture that is public by its address; `file` is its id with the ending of its type. */
  picture: (workspaceId: string, file = "") => inFolder(workspaceId, "pictures", file),
  /** A stored response to an Idempotency-Key. By day (since 1970) first, since all of a day expire together. */
  response: (day: number, workspace: number, id: string) => `${PREFIX.responses}${day}/${workspace}/${id}`,
  /** Prefix of all stored responses. */
  responses: PREFIX.responses,
  /** Prefix of the keys of all workspaces. */
  workspaces: PREFIX.w,
  /** Prefix of all keys of a workspace. */
  workspace: (workspaceId: string) => `${PREFIX.w}${workspaceId}/`,
  /** Prefix of all mail of a hosted mailbox. It has no workspace id, since a mailbox can change owner. */
  mailbox: (mailboxId: string) => `${PREFIX.mailboxes}${mailboxId}/`,
  /** One message of a hosted mailbox. */
  mailboxMessage: (mailboxId: string, id: string) => `${PREFIX.mailboxes}${mailboxId}/${id}.eml`,
  /** Prefix of the keys of all mailboxes. The mailbox id and a slash follow. */
  mailboxes: PREFIX.mailboxes,
};

/**
 * SQL for the key that the row of a settled email stores, given that of the object: without the prefix of its workspace,
 * which takes 39 bytes. A queued email keeps the whole key, with which an earlier version can deliver it.
 */
export const storedKeySql = (key: string): string =>
  `CASE WHEN ${key} LIKE 'w/%' THEN substr(${key}, 3 + instr(substr(${key}, 3), '/')) ELSE ${key} END`;

/** Returns the key without the prefix of its workspace, as the rows of settled emails have it. */
export const storedKey = (key: string): string => key.split("/").slice(2).join("/");

/** Returns the key of the object that a row names. */
export function fullKey(workspaceId: string, stored: string): string {
  return stored.startsWith(r2Keys.workspaces) ? stored : `${r2Keys.workspace(workspaceId)}${stored}`;
}

/** Returns the id of a test of a broadcast from the key of its content, or null for another key. */
export function testIdOf(key: string): string | null {
  return /\/broadcasts\/[^/]+\/test-([0-9a-f-]{36})$/.exec(key)?.[1] ?? null;
}

/** Returns the ids of the first and the last email of a pack, or null for another key. */
export function packedRange(key: string): { firstId: string; lastId: string } | null {
  const [, , folder, firstId, lastId] = key.split("/");
  return folder === "packs" && firstId !== undefined && lastId !== undefined ? { firstId, lastId } : null;
}
