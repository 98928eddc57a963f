import type { AttachmentSource } from "../../../mail/mime/message.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { repeatObjectCall } from "../../../platform/db/repeat-object-call.ts";
import type { ContentDocument } from "./documents.ts";

/** The object of an attachment is gone, so its message can never be composed. */
export class AttachmentDeletedError extends Error {
  constructor() {
    super("the object of an attachment was deleted");
    this.name = "AttachmentDeletedError";
  }
}

/**
 * Returns an attachment of a stored document for a message to compose. `key` names the object in R2 that has the file.
 * `open` throws AttachmentDeletedError when the object is gone.
 */
export function toAttachmentSource(
  ctx: Pick<MailCtx, "env">,
  key: string,
  file: ContentDocument["attachments"][number],
): AttachmentSource {
  return {
    filename: file.filename,
    contentType: file.content_type,
    contentId: file.content_id,
    disposition: file.disposition,
    size: file.size,
    async open() {
      // R2 refuses an empty range.
      if (file.size === 0) return new Blob([]).stream();
      const range = { offset: file.at, length: file.size };
      const object = await repeatObjectCall(() => ctx.env.CONTENT.get(key, { range }));
      if (!object) throw new AttachmentDeletedError();
      return object.body;
    },
  };
}
