import type { AudienceOut, BroadcastOut, WarmUpEstimate } from "../../../audience/broadcasts/index.ts";
import type { ListOut } from "../../../audience/contacts/index.ts";
import {
  ButtonLink,
  ErrorSummary,
  Facts,
  Field,
  Form,
  Select,
  Submit,
  TimeField,
  VersionField,
} from "../../../http/ui/index.ts";
import { Audience } from "./audience.tsx";
import { findIssues, type Issue } from "./issues.ts";
import type { StepForm } from "./step-form.tsx";
import { StepPage, type StepProps } from "./step-page.tsx";
import { pathOfStep, STEPS } from "./steps.ts";
import { ContentFrame } from "./test-step.tsx";
import { WebVersion } from "./web-version.tsx";

interface ReviewStepProps extends StepProps, Omit<Parameters<typeof ContentFrame>[0], "step" | "broadcast"> {
  form: StepForm;
  /** Null when there is no list, or it cannot be counted. */
  audience: AudienceOut | null;
  /** Null: the address from which it leaves is not new. */
  warmUp: WarmUpEstimate | null;
  lists: readonly ListOut[];
  segment: string | null;
  /** The metadata that names time zones, and the zone of the workspace. */
  zones: { fields: readonly string[]; zone: string };
  /** True when "at a time" was chosen. */
  isLater: boolean;
}

/** The last step: says who gets what, what is wrong, and when it leaves, and sends or schedules it. */
export function ReviewStep(props: ReviewStepProps) {
  const { broadcast, form, variants, audience, warmUp, isLater, zones, done, preview, query } = props;
  const issues = findIssues({ broadcast, variants, audience });
  // The time of one that is scheduled can be changed whatever is missing.
  const blocking = broadcast.status === "draft" ? issues.find(({ isBlocking }) => isBlocking) : undefined;
  return (
    <StepPage step="review" broadcast={broadcast} done={done}>
      <div class="beside">
        <div>
          <ErrorSummary />
          <Issues broadcast={broadcast} issues={issues} />
          <Audience broadcast={broadcast} variants={variants} audience={audience} />
          {audience === null || warmUp === null ? null : <p>{toSentence(warmUp, audience.eligible)}</p>}
          <h2>Email</h2>
          <Summary {...props} />
          {blocking ? (
            <div class="actions ends">
              <ButtonLink to={pathOfStep(broadcast.id, "test")} label="Back" kind="quiet" />
              <ButtonLink to={pathOfStep(broadcast.id, blocking.step)} label={`Go to ${nameOf(blocking.step)}`} />
            </div>
          ) : (
            <SendForm form={form} isLater={isLater} zones={zones} />
          )}
        </div>
        <aside aria-label="Preview">
          <ContentFrame step="review" broadcast={broadcast} variants={variants} preview={preview} query={query} />
          <WebVersion broadcast={broadcast} />
        </aside>
      </div>
    </StepPage>
  );
}

/** Returns how long it takes from a new address. */
function toSentence({ days, receiver, contacts }: WarmUpEstimate, eligible: number): string {
  if (days === 1) return "The sending address is new. All of it can leave within a day.";
  const part = `${contacts.toLocaleString("en")} of ${eligible.toLocaleString("en")}`;
  const to = `${contacts === 1 ? "goes" : "go"} to ${receiver ?? "other mail systems"}`;
  return `Because the sending address is new, this takes about ${days} days: ${part} ${to}.`;
}

const nameOf = (step: Issue["step"]) => STEPS.find((one) => one.step === step)?.name ?? step;

const Issues = ({ broadcast, issues }: { broadcast: BroadcastOut; issues: readonly Issue[] }) =>
  issues.length === 0 ? null : (
    <div class={issues.some(({ isBlocking }) => isBlocking) ? "notice bad" : "notice warn"}>
      <ul>
        {issues.map(({ text, step }) => (
          <li>
            {text}. <a href={pathOfStep(broadcast.id, step)}>{nameOf(step)}</a>
          </li>
        ))}
      </ul>
    </div>
  );

const Summary = ({ broadcast, variants, lists, segment, preview: { subjects, preheader } }: ReviewStepProps) => (
  <Facts
    of={{
      From: broadcast.from_address,
      Audience: namesOf(lists, [broadcast.contact_list_id, ...broadcast.more_contact_list_ids]),
      ...(segment === null ? {} : { Segment: segment }),
      Subject: variants.length === 0 ? subjects[0] || null : null,
      ...Object.fromEntries(variants.map(({ label }, index) => [`Subject of ${label}`, subjects[index]])),
      "Preview text": preheader || null,
    }}
  />
);

const namesOf = (lists: ReviewStepProps["lists"], ids: readonly (string | null)[]) =>
  ids.flatMap((listId) => lists.find(({ id }) => id === listId)?.name ?? []).join(", ") || null;

/** Sends the broadcast, or schedules it. Its style shows the time, and the button for it, once that is chosen. */
function SendForm({ form, isLater, zones: { fields, zone } }: Pick<ReviewStepProps, "form" | "isLater" | "zones">) {
  const { scheduled_at: at = "", local_time_field: field = "", max_per_hour: limit = "" } = form.values;
  const known = [...new Set([...fields, ...(field ? [field] : [])])];
  return (
    <Form class="schedule">
      <Submit label="Save" action="save" hidden />
      <VersionField version={form.version} />
      <input type="hidden" name="reviewed" value={form.reviewed} />
      <input type="hidden" name="stored_scheduled_at" value={at} />
      <h2>When it leaves</h2>
      <fieldset>
        <legend class="hidden">When it leaves</legend>
        <label class="choice">
          <input type="radio" name="when" value="now" checked={!isLater} />
          <span>Now</span>
        </label>
        <label class="choice">
          <input type="radio" name="when" value="later" checked={isLater} />
          <span>At a time</span>
        </label>
        <div class="later">
          <TimeField
            name="scheduled_at"
            label="Send at"
            hint="You can change it until then."
            at={at}
            zone={field ? zone : undefined}
          />
          <Select
            name="local_time_field"
            label="By which clock"
            none="Everybody at this moment"
            options={known.map((value) => ({ value, label: `Each person's own time zone, from ${value}` }))}
            value={field}
            hint={
              known.length === 0
                ? "Contacts with a field such as timezone: Europe/Berlin can get it at this time of day by their own clock."
                : `With their own time zone, people get it when their clock shows this time; those without one when it is this time in ${zone}. It begins in the east, up to 26 hours before.`
            }
          />
        </div>
      </fieldset>
      <Field
        name="max_per_hour"
        label="Emails an hour"
        inputmode="numeric"
        required={false}
        hint="The most that are sent in an hour. Leave it empty for no limit."
        value={limit}
      />
      <div class="actions ends">
        <Submit label="Back" kind="quiet" action="back" isUnchecked />
        <Submit label="Send now" kind="now" action="send" />
        <Submit label="Schedule" kind="later" action="schedule" />
      </div>
    </Form>
  );
}
