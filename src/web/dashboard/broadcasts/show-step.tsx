import type { CallerCtx } from "../../../access/caller.ts";
import {
  type Broadcast,
  type BroadcastOut,
  countAudience,
  estimateDays,
  findVariantsOf,
  getBroadcast,
  isEditable,
  previewBroadcast,
  sampleDomains,
  toRecord,
  toVariant,
  type VariantRow,
} from "../../../audience/broadcasts/index.ts";
import { findZoneFields, listLists, toList } from "../../../audience/contacts/index.ts";
import { findSegment, listSegments } from "../../../audience/segments/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { getWorkspace } from "../../../identity/workspaces/index.ts";
import { AppError } from "../../../lib/errors.ts";
import { firstZone } from "../../../lib/local-time.ts";
import { MOST_COUNTED } from "../../../platform/budgets/budget.ts";
import { listTemplateNames, type TemplateOut } from "../../../sending/templates/index.ts";
import { listTopics } from "../../../sending/topics/index.ts";
import { editedContent, toContent } from "../blocks/index.ts";
import { CONTACT } from "../contact-values.ts";
import { listSenders } from "../senders.ts";
import { MAX_CHOICES } from "../template-list.tsx";
import { AudienceStep } from "./audience-step.tsx";
import { ContentStep } from "./content-step.tsx";
import { ReviewStep } from "./review-step.tsx";
import { idOf } from "./save-step.tsx";
import { type FormStep, readStepForm, type StepForm, toStepForm } from "./step-form.tsx";
import { isDone, STEPS } from "./steps.ts";
import { TestStep } from "./test-step.tsx";

const respond = (c: AppContext, page: Parameters<typeof respondPage>[1]) => respondPage(c, page, { frames: true });

function formOf(c: AppContext, step: FormStep, broadcast: BroadcastOut | null): StepForm {
  const fields = c.get("form");
  return fields ? readStepForm(step, fields) : toStepForm(step, broadcast);
}

async function readChoices(caller: CallerCtx) {
  const [senders, lists, topics, segments] = await Promise.all([
    listSenders(caller),
    listLists(caller),
    listTopics(caller, { limit: MOST_COUNTED }),
    listSegments(caller, { limit: MOST_COUNTED }),
  ]);
  return { senders, lists: lists.map(toList), topics, segments };
}

/** Shows the first step of a new broadcast. */
export async function showNew(c: AppContext): Promise<Response> {
  const choices = await readChoices(c.get("caller"));
  return respond(c, <AudienceStep broadcast={null} done={[]} form={formOf(c, "audience", null)} {...choices} />);
}

/** Reads the broadcast of the path with its variants. Throws 404. */
export async function readBroadcast(c: AppContext) {
  const caller = c.get("caller");
  const [found, rows] = await Promise.all([getBroadcast(caller, idOf(c)), findVariantsOf(caller, idOf(c))]);
  const variants = rows.map((variant) => toVariant(found, variant));
  return { found, rows, broadcast: toRecord(caller.workspace.id, found), variants };
}

/** Reads what the page of a step shows, or returns the way to the page of a broadcast that is no longer written. Throws 404. */
async function readStep(c: AppContext) {
  const { found, rows, broadcast, variants } = await readBroadcast(c);
  const done = c.req.query("done");
  if (!isEditable(broadcast.status) && !c.get("refusal"))
    return c.redirect(`/app/broadcasts/${broadcast.id}${done ? `?${new URLSearchParams({ done })}` : ""}`, 303);
  const finished = STEPS.flatMap(({ step }) => (isDone(step, broadcast, variants) ? [step] : []));
  return { found, rows, variants, props: { broadcast, done: finished } };
}

/** Shows the first step of a broadcast. */
export async function showAudience(c: AppContext): Promise<Response> {
  const [read, choices] = await Promise.all([readStep(c), readChoices(c.get("caller"))]);
  if (read instanceof Response) return read;
  const form = formOf(c, "audience", read.props.broadcast);
  return respond(c, <AudienceStep {...read.props} form={form} {...choices} />);
}

/** Shows the second step of a broadcast, with the content of a template if one was chosen. */
export async function showContent(c: AppContext, template?: TemplateOut) {
  const caller = c.get("caller");
  const mayChoose = caller.actor.scopes.has("templates:view");
  const [read, templates] = await Promise.all([readStep(c), mayChoose ? listTemplateNames(caller, MAX_CHOICES) : []]);
  if (read instanceof Response) return read;
  const { broadcast } = read.props;
  const edited = template ? { content: toContent(template), change: undefined } : await editedContent(c, broadcast);
  const page = { form: formOf(c, "content", broadcast), templates, filledFrom: template?.name, ...edited };
  return respond(c, <ContentStep {...read.props} {...page} variants={read.variants} />);
}

/** Reads what the preview of a step shows, by the query of the page. */
async function readPreview(c: AppContext, broadcast: Broadcast, variants: readonly VariantRow[]) {
  const query = new URLSearchParams(new URL(c.req.url).search);
  const [address, variantId] = [query.get(CONTACT) ?? "", query.get("variant_id") ?? ""];
  return { query, preview: await previewBroadcast(c.get("caller"), broadcast, variants, { address, variantId }) };
}

/** Shows the third step of a broadcast. */
export async function showTest(c: AppContext): Promise<Response> {
  const read = await readStep(c);
  if (read instanceof Response) return read;
  const content = await readPreview(c, read.found, read.rows);
  return respond(c, <TestStep {...read.props} variants={read.variants} {...content} />);
}

/** Shows the last step of a broadcast. */
export async function showReview(c: AppContext): Promise<Response> {
  const caller = c.get("caller");
  const [read, lists, fields] = await Promise.all([readStep(c), listLists(caller), findZoneFields(caller)]);
  if (read instanceof Response) return read;
  const { found, rows, variants, props } = read;
  const { reviewed } = toStepForm("review", props.broadcast);
  const form = { ...formOf(c, "review", props.broadcast), reviewed };
  const submitted = c.get("form");
  const isLater = submitted ? submitted.get("when") === "later" : props.broadcast.scheduled_at !== null;
  const { contact_list_id: listId, segment_id: segmentId } = props.broadcast;
  const hasList = listId !== null || segmentId !== null;
  const segment = segmentId && (await findSegment(caller, found.row.workspace, segmentId));
  const [content, audience, sample] = await Promise.all([
    readPreview(c, found, rows),
    hasList ? findAudience(c, found) : null,
    hasList ? sampleDomains(caller, found.row) : [],
  ]);
  const eligible = audience?.eligible ?? 0;
  const [warmUp, zone] = await Promise.all([estimateDays(caller, found.row, { eligible, sample }), findZone(caller)]);
  const zones = { fields, zone };
  const shown = { form, variants, audience, warmUp, isLater, zones, segment: segment ? segment.name : null };
  return respond(c, <ReviewStep {...props} {...shown} {...content} lists={lists.map(toList)} />);
}

/** Returns the zone of the workspace. */
export const findZone = async (caller: CallerCtx) => firstZone((await getWorkspace(caller)).settings.time_zone);

/** Returns the audience, or null when there is no list or it cannot be counted. */
export async function findAudience(c: AppContext, broadcast: Broadcast) {
  try {
    return await countAudience(c.get("caller"), broadcast);
  } catch (error) {
    if (error instanceof AppError && error.status !== 404) return null;
    throw error;
  }
}
