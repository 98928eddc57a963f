import type { Context } from "hono";
import { Hono } from "hono";
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
  type SegmentRow,
  toSegment,
  updateSegment,
} from "../../../audience/segments/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage, ErrorSummary, Layout } from "../../../http/ui/index.ts";
import { invalidField } from "../../../lib/errors.ts";
import { type FormValues, requireVersion, versionOf } from "../../../lib/form-version.ts";
import {
  atPlaces,
  CONDITION_FORM_BYTES,
  emptyDraft,
  namesOfChoices,
  parseDraft,
  readConditionChoices,
  readConditions,
  toDraft,
} from "../conditions/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { PeoplePage, type SegmentForm, SegmentFormPage, SegmentPage, SegmentsPage } from "./pages.tsx";

const GET = "GET /v1/segments/:segment_id";
const CREATE = "POST /v1/segments/";
const UPDATE = "PATCH /v1/segments/:segment_id";
const DELETE = "DELETE /v1/segments/:segment_id";

const notices: Readonly<Record<string, string>> = {
  created: "The segment is created.",
  changed: "The segment is changed.",
  deleted: "The segment is deleted.",
};

export const segmentPages = new Hono<AppEnv>()
  .get("/app/segments", ...pageFor("GET /v1/segments/"), async (c) => {
    const caller = c.get("caller");
    const [found, choices] = await Promise.all([
      listSegments(caller, { after: c.req.query("after"), limit: PAGE_SIZE }),
      readConditionChoices(caller),
    ]);
    const segments = found.slice(0, PAGE_SIZE);
    const next = found.length > PAGE_SIZE ? `/app/segments?after=${segments.at(-1)?.id}` : null;
    const notice = notices[c.req.query("done") ?? ""];
    return respondPage(c, <SegmentsPage {...{ caller, segments, next, notice }} names={namesOfChoices(choices)} />);
  })
  .get("/app/segments/new", ...pageFor(CREATE), (c) =>
    showForm(c, { name: "", draft: emptyDraft(), idempotencyKey: crypto.randomUUID(), version: "" }),
  )
  .post("/app/segments/new", ...pageFor(CREATE), (c) =>
    saveForm(c, async (form) => {
      const input = parseFields(SegmentIn, await toFields(form));
      const text = JSON.stringify(input);
      const { id } = await onceForForm(c, form.idempotencyKey, text, (ctx) => createSegment(ctx, input));
      await countSegment(c.get("caller"), id);
      return `/app/segments/${id}?done=created`;
    }),
  )
  .get("/app/segments/:segment_id", ...pageFor(GET), async (c) => {
    const caller = c.get("caller");
    const [segment, choices] = await Promise.all([
      getSegment(caller, c.req.param("segment_id")),
      readConditionChoices(caller),
    ]);
    const notice = notices[c.req.query("done") ?? ""];
    return respondPage(c, <SegmentPage {...{ caller, segment, notice }} names={namesOfChoices(choices)} />);
  })
  .get("/app/segments/:segment_id/people", ...pageFor("GET /v1/segments/:segment_id/contacts"), async (c) => {
    const caller = c.get("caller");
    const id = c.req.param("segment_id");
    const page = { after: ContactsAfter.safeParse(c.req.query("after")).data, limit: PAGE_SIZE };
    const [segment, { contacts, next }] = await Promise.all([
      getSegment(caller, id),
      listSegmentContacts(caller, id, page),
    ]);
    const following = next === null ? null : `/app/segments/${segment.id}/people?after=${cursorOf(next)}`;
    return respondPage(c, <PeoplePage {...{ caller, contacts }} segment={toSegment(segment)} next={following} />);
  })
  .post("/app/segments/:segment_id/count", ...pageFor("GET /v1/segments/:segment_id/count"), async (c) => {
    const id = c.req.param("segment_id");
    await countSegment(c.get("caller"), id);
    return c.redirect(`/app/segments/${id}`, 303);
  })
  .get("/app/segments/:segment_id/edit", ...pageFor(UPDATE), (c) => showForm(c))
  .post("/app/segments/:segment_id/edit", ...pageFor(UPDATE), (c) =>
    saveForm(c, async (form) => {
      const caller = c.get("caller");
      const fields = await toFields(form);
      const stored = await getSegment(caller, c.req.param("segment_id"));
      requireVersion(form.version, shownOf(stored), shownOf(fields));
      const { id, count } = await updateSegment(caller, stored.id, parseFields(SegmentPatch, fields));
      if (count === null) await countSegment(caller, id);
      return `/app/segments/${id}?done=changed`;
    }),
  )
  .get("/app/segments/:segment_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = await getSegment(caller, c.req.param("segment_id"));
    const page = (
      <ConfirmPage
        title={`Delete ${name}?`}
        button="Delete segment"
        back={`/app/segments/${id}`}
        at="/app/segments"
        caller={caller}
      >
        Its people and their contacts stay.
      </ConfirmPage>
    );
    return respondPage(c, page);
  })
  .post("/app/segments/:segment_id/delete", ...pageFor(DELETE), (c) =>
    submitForm(
      c,
      async () => {
        await deleteSegment(c.get("caller"), c.req.param("segment_id"));
        return "/app/segments?done=deleted";
      },
      (refusal) => {
        const page = (
          <Layout title="The segment is in use" caller={c.get("caller")} at="/app/segments">
            <ErrorSummary refusal={refusal} />
            <p>
              <a href={`/app/segments/${c.req.param("segment_id")}`}>Back to the segment</a>
            </p>
          </Layout>
        );
        return respondPage(c, page, { status: refusal.status });
      },
    ),
  );

/** Values of a segment by label, for the version of its form. */
const shownOf = ({ name, conditions }: { name: string; conditions: unknown }): FormValues => ({
  Name: name,
  Conditions: JSON.stringify(conditions),
});

/** Returns the fields of the API call. Throws 422. */
async function toFields({ name, draft }: SegmentForm) {
  const conditions = parseDraft(draft, "conditions");
  if (conditions === undefined) throw invalidField("conditions", "Add a condition");
  return { name, conditions };
}

/** Saves the form, or shows it again with a row more or less, or with why it is refused. */
async function saveForm(c: Context<AppEnv>, save: (form: SegmentForm) => Promise<string>): Promise<Response> {
  const fields = await readForm(c, CONDITION_FORM_BYTES);
  const { draft, isChanged } = readConditions(fields, "conditions");
  const form: SegmentForm = {
    ...{ name: fields.get("name") ?? "", draft, version: fields.get("version") ?? "" },
    idempotencyKey: fields.get("idempotency_key") ?? "",
  };
  if (isChanged) return showForm(c, form);
  return submitForm(
    c,
    () => atPlaces(draft, "conditions", () => save(form)),
    (refusal) => showForm(c, form, refusal),
  );
}

/** Shows the form of the segment of the path, or of a new one. */
async function showForm(c: Context<AppEnv>, submitted?: SegmentForm, refusal?: Refusal): Promise<Response> {
  const caller = c.get("caller");
  const id = c.req.param("segment_id");
  const [segment, choices] = await Promise.all([
    id === undefined ? null : getSegment(caller, id),
    readConditionChoices(caller),
  ]);
  const form = submitted ?? (segment ? formOf(segment) : null);
  if (!form) throw invalidField("conditions", "The form is incomplete");
  const page = (
    <SegmentFormPage
      {...{ caller, form, refusal }}
      title={segment ? `Edit ${segment.name}` : "New segment"}
      action={segment ? `/app/segments/${segment.id}/edit` : "/app/segments/new"}
      choices={{ ...choices, segment: choices.segment.filter(({ value }) => value !== segment?.id) }}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

const formOf = (segment: SegmentRow): SegmentForm => ({
  ...{ name: segment.name, draft: toDraft(segment.conditions), idempotencyKey: "" },
  version: versionOf(shownOf(segment)),
});
