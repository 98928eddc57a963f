/** Where content lies in R2. Every key of a workspace begins with its id, so no tenant can name another's. */
export const r2Keys = {
  /** Attachments, then the content document, of one email. */
  email: (workspaceId: string, emailId: string) => `w/${workspaceId}/emails/${emailId}`,
};
