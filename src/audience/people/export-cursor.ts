import * as z from "zod";
import { isUuid } from "../../lib/ids.ts";
import type { ExportCursor } from "./export.ts";

const CURSOR = /^(\d{1,15}|end)\.([0-9a-f-]{36}|end)\.(\d{1,15}|end)\.(\d{1,15}|end)\.([0-9a-f-]{36}|end)$/;

/** The query parameter that continues an export. */
export const ExportAfter = z
  .string()
  .transform((text, context): ExportCursor => {
    const [, contacts = "", consents = "", events = "", runs = "", emails = ""] = CURSOR.exec(text) ?? [];
    const isKnown = (id: string) => id === "end" || isUuid(id);
    if (contacts === "" || !isKnown(consents) || !isKnown(emails)) {
      context.addIssue({ code: "custom", message: "after must be the value of a Link header" });
      return z.NEVER;
    }
    return {
      contacts: contacts === "end" ? null : Number(contacts),
      consents: consents === "end" ? null : consents,
      events: events === "end" ? null : Number(events),
      runs: runs === "end" ? null : Number(runs),
      emails: emails === "end" ? null : emails,
    };
  })
  .optional()
  .meta({ type: "string", maxLength: 100 })
  .describe("Cursor from the `Link` header of the previous page.");

/** Returns the value of `after` for a cursor. */
export const cursorText = ({ contacts, consents, events, runs, emails }: ExportCursor): string =>
  [contacts, consents, events, runs, emails].map((position) => position ?? "end").join(".");
