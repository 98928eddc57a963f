import { expect, it } from "vitest";
import { isClose } from "../../../src/lib/close-names.ts";

it.each([
  ["replyTo", "reply_to", true],
  ["Reply-To", "reply_to", true],
  ["from", "from_", true],
  ["attachment", "attachments", true],
  ["atachments", "attachments", true],
  ["attachmnets", "attachments", true],
  ["subjekt", "subject", true],
  ["tag", "tags", true],
  ["tos", "to", false],
  ["co", "cc", false],
  ["CC", "cc", true],
  ["template", "template_id", false],
  ["body", "bcc", false],
  ["", "to", false],
  ["date", "text", false],
  ["subjets", "subjet_line", false],
])("%s is close to %s: %s", (name, known, expected) => {
  expect(isClose(name, known)).toBe(expected);
});
