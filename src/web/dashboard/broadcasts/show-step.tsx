import type { Context } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import {
  type Broadcast,
  countAudience,
  estimateDays,
  findVariantsOf,
  getBroadcast,
  isEditable,
  sampleDomains,
  toRecord,
  toVariant,
} from "../../../audience/broadcasts/index.ts";
import { listLists, toList } from "../../../audience/contacts/index.ts";
import { findSegment, listSegments, segmentLimits } from "../../../audience/segments/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import type { Refusal } from "../../../http/page-form.ts";
import { AppError } from "../../../lib/errors.ts";
import { listTemplateNames } from "../../../sending/templates/index.ts";
import { listTopics, topicLimits } from "../../../sending/topics/index.ts";
import { listSenders } from "../senders.ts";
import { MAX_CHOICES } from "../template-list.tsx";
import { AudienceStep } from "./audience-step.tsx";
import { ContentStep } from "./content-step.tsx";
import { notices } from "./notices.ts";
import { ReviewStep } from "./review-step.tsx";
import { idOf } from "./save-step.tsx";
import { type StepForm, toStepForm } from "./step-form.tsx";
import { isDone, STEPS } from "./steps.ts";
import { TestStep } from "./test-step.tsx";

/** A form that was submitted and is shown again. */
interface Submitted {
  form: StepForm;
  refusal?: Refusal;
}

const respond = (c: Context<AppEnv>, page: Parameters<typeof respondPage>[1], refusal?: Refusal) =>
  respondPage(c, page, { status: refusal?.status ?? 200, frames: true });

const allTopics = (caller: CallerCtx) => listTopics(caller, { limit: topicLimits.topicsPerWorkspace });

const allSegments = (caller: CallerCtx) => listSegments(caller, { limit: segmentLimits.segmentsPerWorkspace });

/** Reads what the first step offers. */
async function readChoices(caller: CallerCtx) {
  const [senders, lists, topics, segments] = await Promise.all([
    listSenders(caller),
    listLists(caller),
    allTopics(caller),
    allSegments(caller),
  ]);
  return { senders, lists: lists.map(toList), topics, segments };
}

/** Shows the first step of a new broadcast. */
export async function showNew(c: Context<AppEnv>, submitted?: Submitted): Promise<Response> {
  const caller = c.get("caller");
  const form = submitted?.form ?? toStepForm("audience", null);
  const props = { caller, broadcast: null, done: [], form, ...(await readChoices(caller)) };
  return respond(c, <AudienceStep {...props} refusal={submitted?.refusal} />, submitted?.refusal);
}

/** Reads what the page of a step shows, or returns the way to the page of a broadcast that is no longer written. Throws 404. */
async function readStep(c: Context<AppEnv>, refusal?: Refusal) {
  const caller = c.get("caller");
  const [found, rows] = await Promise.all([getBroadcast(caller, idOf(c)), findVariantsOf(caller, idOf(c))]);
  const broadcast = toRecord(caller.workspace.id, found);
  const done = c.req.query("done");
  if (!isEditable(broadcast.status) && !refusal)
    return c.redirect(`/app/broadcasts/${broadcast.id}${done ? `?${new URLSearchParams({ done })}` : ""}`, 303);
  const variants = rows.map((variant) => toVariant(found, variant));
  const finished = STEPS.flatMap(({ step }) => (isDone(step, broadcast, variants) ? [step] : []));
  const notice = refusal ? undefined : notices[done ?? ""];
  return { found, variants, props: { caller, broadcast, done: finished, notice, refusal } };
}

/** Shows the first step of a broadcast. */
export async function showAudience(c: Context<AppEnv>, submitted?: Submitted): Promise<Response> {
  const caller = c.get("caller");
  const [read, choices] = await Promise.all([readStep(c, submitted?.refusal), readChoices(caller)]);
  if (read instanceof Response) return read;
  const form = submitted?.form ?? toStepForm("audience", read.props.broadcast);
  return respond(c, <AudienceStep {...read.props} form={form} {...choices} />, submitted?.refusal);
}

/** Shows the second step of a broadcast. `filledFrom` names the template whose content the form has and that is not saved. */
export async function showContent(c: Context<AppEnv>, submitted?: Submitted & { filledFrom?: string }) {
  const caller = c.get("caller");
  const mayChoose = caller.actor.scopes.has("templates:view");
  const [read, templates] = await Promise.all([
    readStep(c, submitted?.refusal),
    mayChoose ? listTemplateNames(caller, MAX_CHOICES) : [],
  ]);
  if (read instanceof Response) return read;
  const form = submitted?.form ?? toStepForm("content", read.props.broadcast);
  const { filledFrom } = submitted ?? {};
  const page = <ContentStep {...read.props} {...{ form, templates, filledFrom }} variants={read.variants} />;
  return respond(c, page, submitted?.refusal);
}

/** Shows the third step of a broadcast. */
export async function showTest(c: Context<AppEnv>, submitted?: { to: string; refusal: Refusal }): Promise<Response> {
  const read = await readStep(c, submitted?.refusal);
  if (read instanceof Response) return read;
  const to = submitted?.to ?? c.get("caller").actor.email;
  return respond(c, <TestStep {...read.props} to={to} variants={read.variants} />, submitted?.refusal);
}

/** Shows the last step of a broadcast. */
export async function showReview(c: Context<AppEnv>, submitted?: Submitted & { isLater: boolean }): Promise<Response> {
  const [read, lists] = await Promise.all([readStep(c, submitted?.refusal), listLists(c.get("caller"))]);
  if (read instanceof Response) return read;
  const { found, variants, props } = read;
  const stored = toStepForm("review", props.broadcast);
  const form = { ...(submitted?.form ?? stored), reviewed: stored.reviewed };
  const isLater = submitted?.isLater ?? props.broadcast.scheduled_at !== null;
  const { contact_list_id: listId, segment_id: segmentId } = props.broadcast;
  const hasList = listId !== null || segmentId !== null;
  const segment = segmentId && (await findSegment(c.get("caller"), found.row.workspace, segmentId));
  const [audience, sample] = hasList
    ? await Promise.all([findAudience(c, found), sampleDomains(c.get("caller"), found.row)])
    : [null, []];
  const eligible = audience?.eligible ?? 0;
  const warmUp = await estimateDays(c.get("caller"), found.row, { eligible, sample });
  const shown = { form, variants, audience, warmUp, isLater, segment: segment ? segment.name : null };
  const page = <ReviewStep {...props} {...shown} lists={lists.map(toList)} />;
  return respond(c, page, submitted?.refusal);
}

/** Returns the audience, or null when there is no list or it cannot be counted. */
export async function findAudience(c: Context<AppEnv>, broadcast: Broadcast) {
  try {
    return await countAudience(c.get("caller"), broadcast);
  } catch (error) {
    if (error instanceof AppError && error.status !== 404) return null;
    throw error;
  }
}
