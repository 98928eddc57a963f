import * as z from "zod";
import { named } from "../../../lib/serialize.ts";
import { NameText } from "../name.ts";

/** Greatest length of a saved reply, in characters. */
const MAX_TEXT = 10_000;

const Text = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .describe("Placeholders such as {{name}} are filled in from the contact that is answered.");

const example = { name: "Delivery times", text: "Hello {{name}},\n\nwe deliver within three days." };

export const SavedReplyIn = z.object({ name: NameText, text: Text }).meta({ ref: "InboxSavedReplyCreate", example });

export const SavedReplyPatch = z
  .object({ name: NameText.optional(), text: Text.optional() })
  .meta({ ref: "InboxSavedReplyUpdate", example: { name: "Delivery times in December" } });

export const SavedReplyOut = z
  .object({ id: z.uuid(), name: z.string(), text: z.string() })
  .meta(named("InboxSavedReply", { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a76", ...example }));
