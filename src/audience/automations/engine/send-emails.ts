import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { hasWorkLeft } from "../../../platform/db/count-statements.ts";
import {
  countEmailsStatements,
  dailyLimitOf,
  findEmailsLeft,
  resetAt,
} from "../../../platform/rate-limits/daily-emails.ts";
import { prepareStepEmails, type StepEmail, type StepEmailIssue } from "../../broadcasts/index.ts";
import { stepNumber } from "../definition.ts";
import { DailyEmails } from "./daily-emails.ts";
import { done, idOfEffect, type Outcome, type PendingOf, type Prepared } from "./outcome.ts";

type PendingEmail = PendingOf<"send_email">;

/** Prepares emails. Each step costs up to eight D1 calls, so the caller bounds the steps of a page. */
export async function prepareEmails(ctx: MailCtx, pending: readonly PendingEmail[]): Promise<Prepared> {
  const left = await emailsLeft(ctx, pending);
  const outcomes = new Map<number, Outcome>();
  const statements: MailStatement[] = [];
  const made: PendingEmail[] = [];
  for (const [rowId, all] of Map.groupBy(pending, rowIdOf)) {
    const group = all.filter((one) => left.take(one, outcomes));
    const [first] = group;
    if (!first) continue;
    // The others are due still.
    if (outcomes.size > 0 && !hasWorkLeft(ctx)) break;
    const emails = await Promise.all(group.map(toStepEmail));
    const step = await prepareStepEmails(ctx, first.workspace, rowId, emails);
    statements.push(...step.statements);
    for (const one of group) {
      const [issue, subject] = [step.issues.get(one.due.n), step.subjects.get(one.due.n)];
      if (issue || subject !== undefined) outcomes.set(one.due.n, outcomeOf(one, issue, subject));
      if (subject !== undefined) made.push(one);
    }
  }
  const wake = () => ctx.wake([{ dueAt: ctx.now(), id: ctx.newId(), kind: "bulk" }]);
  const daily = made.length > 0 ? [DailyEmails.addStatement(ctx, made.map(toDaily))] : [];
  return {
    statements: [...statements, ...countStatements(ctx, made), ...daily],
    outcomes,
    wake: made.length > 0 ? [wake] : [],
  };
}

/** Returns the id of the row that has the content of the step, or of none. */
const rowIdOf = ({ version, effect }: PendingEmail): string => version.emails.get(effect.path) ?? "";

async function toStepEmail(one: PendingEmail): Promise<StepEmail> {
  const { due, effect } = one;
  return { key: due.n, person: due.key, id: await idOfEffect(one), data: effect.data };
}

function outcomeOf({ effect }: PendingEmail, issue: StepEmailIssue | undefined, subject: string | undefined): Outcome {
  if (issue?.of === "step")
    return { kind: "pause", reason: `Step ${stepNumber(effect.path)} can send no email: ${issue.text}.` };
  if (issue) return done(`Sent no email: ${issue.text}.`);
  return done(subject ? `Sent the email “${subject}”.` : "Sent the email.");
}

const toDaily = ({ workspace, due, effect }: PendingEmail) => ({
  workspace: workspace.number,
  key: due.key,
  day: effect.day,
});

function countStatements(ctx: MailCtx, made: readonly PendingEmail[]): MailStatement[] {
  const ofWorkspace = Map.groupBy(made, ({ workspace }) => workspace);
  return [...ofWorkspace].flatMap(([workspace, group]) => countEmailsStatements(ctx, workspace, group.length));
}

/**
 * Counts down the emails that workspaces may have accepted today. One D1 call when one has a limit. Emails that other calls accept
 * meanwhile roll the transaction back, and the next try reads again.
 */
async function emailsLeft(ctx: MailCtx, pending: readonly PendingEmail[]) {
  const limited = pending.map(({ workspace }) => workspace).filter((one) => dailyLimitOf(ctx, one) !== null);
  const left = limited.length > 0 ? await findEmailsLeft(ctx, limited) : new Map<number, number>();
  return {
    /** Returns whether the workspace has an email left, and takes it. Otherwise the effect is to be tried again tomorrow. */
    take({ workspace, due }: PendingEmail, outcomes: Map<number, Outcome>): boolean {
      const count = left.get(workspace.number) ?? Number.POSITIVE_INFINITY;
      left.set(workspace.number, count - 1);
      if (count > 0) return true;
      const at = resetAt(ctx.now());
      outcomes.set(due.n, { kind: "later", at, text: "The daily limit of emails of the workspace is reached." });
      return false;
    },
  };
}
