import type { CallerCtx } from "../../../access/caller.ts";
import { invalidField, notFound } from "../../../lib/errors.ts";
import { findSenderOf, requireSendingAllowed } from "../../../sending/emails/index.ts";
import {
  contentOfStep,
  previewContent,
  type RenderedContent,
  sendContent,
  type TestOut,
} from "../../broadcasts/index.ts";
import { type Definition, placedSteps } from "../definition.ts";
import { getAutomation } from "../queries.ts";
import { readEmails } from "../read-emails.ts";
import type { StepTestIn } from "./schema.ts";

/**
 * Sends the email of a step to given addresses, filled with the values of a contact and with the data of an event. No run sees it. Throws
 * 404 for the automation or the step, 403 when the workspace may not send, 422 for what the test of a broadcast refuses.
 */
export async function testStep(ctx: CallerCtx, id: string, { step, data, ...test }: StepTestIn): Promise<TestOut> {
  requireSendingAllowed(ctx, "automation");
  const email = await readStepEmail(ctx, id, step);
  const sender = await findSenderOf(ctx, email.mailboxId);
  if ("error" in sender) throw invalidField("step", sender.error);
  return sendContent(ctx, { id: email.id, content: contentOfStep(ctx, email), sender }, { ...test, event: data });
}

/** Renders the email of a step as a contact gets it after an event. Throws 404 and 422 as `testStep` does. */
export async function previewStep(
  ctx: CallerCtx,
  id: string,
  { step, address, data }: { step: string; address: string; data: Readonly<Record<string, unknown>> },
): Promise<RenderedContent> {
  const content = contentOfStep(ctx, await readStepEmail(ctx, id, step));
  return previewContent(ctx, content, { address, event: data });
}

async function readStepEmail(ctx: CallerCtx, id: string, path: string) {
  const { definition: json } = await getAutomation(ctx, id);
  const definition = JSON.parse(json) as Definition;
  const placed = placedSteps(definition.steps).find((one) => one.path === path);
  if (placed?.step.kind !== "send_email") throw notFound("Step");
  const alone = { ...definition, steps: [placed.step] };
  const [email] = await readEmails(ctx, { automationId: id, number: 0, definition: alone });
  if (!email) throw notFound("Step");
  return email;
}
