import {
  ContactsAfter,
  countSegment,
  createSegment,
  cursorOf,
  deleteSegment,
  getSegment,
  listSegmentContacts,
  listSegments,
  SegmentIn,
  SegmentPatch,
  toSegment,
  updateSegment,
} from "../../../audience/segments/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { button, deletion, page, pagesOf, post } from "../../../http/page-actions.tsx";
import { onceForForm, parseFields, submitForm } from "../../../http/page-routes.ts";
import { AppLayout, LinkLine } from "../../../http/ui/index.ts";
import { invalidField } from "../../../lib/errors.ts";
import { type FormValues, requireVersion, versionOf } from "../../../lib/form-version.ts";
import {
  atPlaces,
  CONDITION_FORM_BYTES,
  namesOfChoices,
  parseDraft,
  readConditionChoices,
  readConditions,
  toDraft,
} from "../conditions/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { PeoplePage, SegmentFormPage, SegmentPage, SegmentsPage } from "./pages.tsx";

const GET = "GET /v1/segments/:segment_id";
const CREATE = "POST /v1/segments/";
const UPDATE = "PATCH /v1/segments/:segment_id";

export const segmentPages = pagesOf(
  "segment",
  page("/app/segments", "GET /v1/segments/", async (c) => {
    const [{ rows: segments, next }, choices] = await Promise.all([
      readPage(c, { path: "/app/segments", read: listSegments, after: ({ id }) => id, size: PAGE_SIZE }),
      readConditionChoices(c.get("caller")),
    ]);
    const shown = <SegmentsPage segments={segments} names={namesOfChoices(choices)} />;
    return respondPage(c, shown, { next, nextLabel: "More" });
  }),
  page("/app/segments/new", CREATE, showForm),
  post(
    "/app/segments/new",
    CREATE,
    (c) =>
      saveForm(c, async (entered) => {
        const input = parseFields(SegmentIn, entered);
        const { id } = await onceForForm(c, (ctx) => createSegment(ctx, input));
        await countSegment(c.get("caller"), id);
        return `/app/segments/${id}?done=created`;
      }),
    { created: "The segment is created." },
  ),
  page("/app/segments/:segment_id", GET, async (c) => {
    const caller = c.get("caller");
    const [segment, choices] = await Promise.all([
      getSegment(caller, c.req.param("segment_id")),
      readConditionChoices(caller),
    ]);
    return respondPage(c, <SegmentPage segment={segment} names={namesOfChoices(choices)} />);
  }),
  page("/app/segments/:segment_id/people", "GET /v1/segments/:segment_id/contacts", async (c) => {
    const caller = c.get("caller");
    const id = c.req.param("segment_id");
    const page = { after: ContactsAfter.safeParse(c.req.query("after")).data, limit: PAGE_SIZE };
    const [segment, { contacts, next }] = await Promise.all([
      getSegment(caller, id),
      listSegmentContacts(caller, id, page),
    ]);
    return respondPage(c, <PeoplePage contacts={contacts} segment={toSegment(segment)} />, {
      next: next === null ? null : `/app/segments/${segment.id}/people?after=${cursorOf(next)}`,
      nextLabel: "More",
    });
  }),
  button("/app/segments/:segment_id/count", "GET /v1/segments/:segment_id/count", { run: countSegment }),
  page("/app/segments/:segment_id/edit", UPDATE, showForm),
  post(
    "/app/segments/:segment_id/edit",
    UPDATE,
    (c) =>
      saveForm(c, async (entered, version) => {
        const caller = c.get("caller");
        const stored = await getSegment(caller, c.req.param("segment_id"));
        requireVersion(version, shownOf(stored), shownOf(entered));
        const { id, count } = await updateSegment(caller, stored.id, parseFields(SegmentPatch, entered));
        if (count === null) await countSegment(caller, id);
        return `/app/segments/${id}?done=changed`;
      }),
    { changed: "The segment is changed." },
  ),
  deletion("/app/segments/:segment_id/delete", "DELETE /v1/segments/:segment_id", {
    of: getSegment,
    title: ({ name }) => `Delete ${name}?`,
    text: "Its people and their contacts stay.",
    run: deleteSegment,
    show: showInUse,
  }),
);

function showInUse(c: AppContext) {
  return respondPage(
    c,
    <AppLayout title="The segment is in use">
      <LinkLine to={`/app/segments/${c.req.param("segment_id")}`} label="Back to the segment" />
    </AppLayout>,
  );
}

interface Entered {
  name: string;
  conditions: unknown;
}

/** Returns the values of a segment by label, for the version of its form. */
const shownOf = ({ name, conditions }: Entered): FormValues => ({ Name: name, Conditions: JSON.stringify(conditions) });

/** Saves the form, or shows it again with a row more or less, or with why it is refused. */
const saveForm = (c: AppContext, save: (entered: Entered, version: string) => Promise<string>) =>
  submitForm(c, { show: showForm, maxBytes: CONDITION_FORM_BYTES }, async (fields) => {
    const { draft, isChanged } = readConditions(fields, "conditions");
    if (isChanged) return showForm(c);
    return atPlaces(draft, "conditions", async () => {
      const conditions = parseDraft(draft, "conditions");
      if (conditions === undefined) throw invalidField("conditions", "Add a condition");
      return save({ name: fields.get("name") ?? "", conditions }, fields.get("version") ?? "");
    });
  });

async function showForm(c: AppContext): Promise<Response> {
  const caller = c.get("caller");
  const id = c.req.param("segment_id");
  const [segment, choices] = await Promise.all([
    id === undefined ? null : getSegment(caller, id),
    readConditionChoices(caller),
  ]);
  const form = c.get("form");
  const page = (
    <SegmentFormPage
      segment={segment}
      version={segment ? versionOf(shownOf(segment)) : ""}
      draft={form ? readConditions(form, "conditions").draft : toDraft(segment?.conditions)}
      choices={{ ...choices, segment: choices.segment.filter(({ value }) => value !== segment?.id) }}
    />
  );
  return respondPage(c, page);
}
