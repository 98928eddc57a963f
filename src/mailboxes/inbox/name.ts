import * as z from "zod";
import { nameIssue } from "../mailbox-store/index.ts";

/** The name of a folder or label. */
export const NameText = z
  .string()
  .max(1000)
  .transform((name) => name.normalize("NFC"))
  .superRefine((name, context) => {
    const issue = nameIssue(name);
    if (issue) context.addIssue({ code: "custom", message: issue });
  })
  .meta({
    minLength: 1,
    maxLength: 255,
    pattern: "^[^\\u0000-\\u001f\\u007f*\\\\]+$",
    description: "At most 255 bytes, without control characters, * and \\.",
  });
