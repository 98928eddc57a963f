import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import type { automationDailyEmails } from "../../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../../platform/db/stored-row.ts";

export type DailyRow = StoredColumns<typeof automationDailyEmails, "workspace" | "email_key" | "day" | "emails">;

/** A person of a workspace. */
interface Recipient {
  workspace: number;
  key: string;
}

const FIND = `
  SELECT d.workspace, d.email_key, d.day, d.emails FROM json_each(?1) j
   CROSS JOIN automation_daily_emails d ON d.workspace = j.value->>'workspace' AND d.email_key = j.value->>'key'`;

const ADD = `
  INSERT INTO automation_daily_emails (workspace, email_key, day, emails)
  SELECT value->>'workspace', value->>'key', value->>'day', 1 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET emails = iif(day = excluded.day, emails, 0) + 1, day = excluded.day`;

/** Emails of automations to the people of a page, by the last day on which each got some. */
export class DailyEmails {
  readonly #rows = new Map<string, { day: string; emails: number }>();

  constructor(rows: readonly DailyRow[]) {
    for (const { workspace, email_key: key, day, emails } of rows)
      this.#rows.set(`${workspace} ${key}`, { day, emails });
  }

  static readStatement(ctx: MailCtx, recipients: readonly Recipient[]): MailStatement {
    const json = JSON.stringify(recipients.map(({ workspace, key }) => ({ workspace, key })));
    return ctx.mail.prepare(FIND).bind(json);
  }

  /** Returns the statement that counts emails that are made. */
  static addStatement(ctx: MailCtx, emails: readonly (Recipient & { day: string })[]): MailStatement {
    return ctx.mail.prepare(ADD).bind(JSON.stringify(emails));
  }

  /** Returns the emails to a person on a day of their zone. */
  of(workspace: number, key: string, day: string): number {
    const row = this.#rows.get(`${workspace} ${key}`);
    return row?.day === day ? row.emails : 0;
  }
}
