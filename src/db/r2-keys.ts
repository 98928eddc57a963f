/** Where content lies in R2. Every key of a workspace begins with its id, so no tenant can name another's. */
export const r2Keys = {
  /** Attachments, then the content document, of one email. */
  email: (workspaceId: string, emailId: string) => `w/${workspaceId}/emails/${emailId}`,
  /** The content of all emails of one batch, packed. */
  batch: (workspaceId: string, batchId: string) => `w/${workspaceId}/batches/${batchId}`,
  /** What all keys of a workspace begin with. */
  workspace: (workspaceId: string) => `w/${workspaceId}/`,
  /** What all mail of a hosted mailbox begins with: a mailbox can change owner, its mail goes with it. */
  mailbox: (mailboxId: string) => `mailboxes/${mailboxId}/`,
  /** What the keys of all mailboxes begin with; the id and a slash follow. */
  mailboxes: "mailboxes/",
};
