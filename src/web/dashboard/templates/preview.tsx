import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Field, PreviewFrame, Select } from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TemplateOut } from "../../../sending/templates/index.ts";

/** Prefix of the fields that hold a sample value, before the name of its placeholder. */
export const SAMPLE = "v.";
/** Placeholders that the page has a field for; further ones keep their names as values. */
const MAX_FIELDS = 50;

/** Values of placeholders by their names; a placeholder without one shows its name. */
export type Samples = ReadonlyMap<string, string>;

/** Returns the sample values among the fields of a form or the parameters of a URL. */
export function readSamples(fields: URLSearchParams): Samples {
  const values = [...fields].filter(([name, value]) => name.startsWith(SAMPLE) && value !== "");
  return new Map(values.slice(0, MAX_FIELDS).map(([name, value]) => [name.slice(SAMPLE.length), value]));
}

/** Returns the value of each placeholder of HTML: its sample, or its name. */
export const toVariables = (names: readonly string[], samples: Samples) =>
  Object.fromEntries(names.map((name) => [name, samples.get(name) ?? name]));

const toQuery = (samples: Samples) => new URLSearchParams([...samples].map(([name, value]) => [SAMPLE + name, value]));

interface PreviewProps {
  caller: CallerCtx;
  path: string;
  template: TemplateOut;
  samples: Samples;
  senders: readonly MailboxRow[];
  refusal: Refusal | undefined;
}

/** A template filled in with sample values, and the form that mails it so. */
export function Preview({ caller, path, template, samples, senders, refusal }: PreviewProps) {
  const fields = template.variables.slice(0, MAX_FIELDS);
  return (
    <>
      <h2>Preview</h2>
      {fields.length === 0 ? null : (
        <form method="get" action={path}>
          <p class="soft">A placeholder without a sample value shows its name.</p>
          <div class="columns">
            {fields.map((name) => (
              <Field name={SAMPLE + name} label={name} required={false} value={samples.get(name) ?? ""} />
            ))}
          </div>
          <button class="quiet" type="submit">
            Show
          </button>
        </form>
      )}
      <PreviewFrame src={`${path}/html?${toQuery(samples)}`} />
      {caller.actor.scopes.has("emails:send") ? (
        <TestForm {...{ caller, path, fields, samples, senders, refusal }} />
      ) : null}
    </>
  );
}

type TestFormProps = Omit<PreviewProps, "template"> & { fields: readonly string[] };

function TestForm({ caller, path, fields, samples, senders, refusal }: TestFormProps) {
  if (senders.length === 0) return null;
  return (
    <>
      <h2>Send a test</h2>
      <form class="filter" method="post" action={`${path}/test`}>
        <input type="hidden" name="idempotency_key" value={crypto.randomUUID()} />
        {fields.map((name) => (
          <input type="hidden" name={SAMPLE + name} value={samples.get(name) ?? ""} />
        ))}
        <Select
          name="from_"
          label="From"
          options={senders.map(({ address }) => ({ value: address, label: address }))}
          errors={refusal?.errors}
        />
        <Field name="to" label="To" type="email" value={caller.actor.email} errors={refusal?.errors} />
        <button class="quiet" type="submit">
          Send test
        </button>
      </form>
    </>
  );
}
