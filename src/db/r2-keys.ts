/** Keys of objects in R2. Every key of a workspace begins with its id, so a prefix selects its objects. */
export const r2Keys = {
  /** Attachments, then the content document, of one email. */
  email: (workspaceId: string, emailId: string) => `w/${workspaceId}/emails/${emailId}`,
  /** The content of all emails of one batch, packed. */
  batch: (workspaceId: string, batchId: string) => `w/${workspaceId}/batches/${batchId}`,
  /** Prefix of all keys of a workspace. */
  workspace: (workspaceId: string) => `w/${workspaceId}/`,
  /** Prefix of all mail of a hosted mailbox. It has no workspace id, since a mailbox can change owner. */
  mailbox: (mailboxId: string) => `mailboxes/${mailboxId}/`,
  /** Prefix of the keys of all mailboxes. The mailbox id and a slash follow. */
  mailboxes: "mailboxes/",
};
