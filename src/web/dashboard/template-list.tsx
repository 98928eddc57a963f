import { Dialog, Submit, Time } from "../../http/ui/index.ts";
import type { TemplateName } from "../../sending/templates/index.ts";

/** Templates that a list to choose from has. */
export const MAX_CHOICES = 12;

/** Returns the id of the template that a button of the list has chosen, or null when another button was pressed. */
export const chosenTemplate = (fields: URLSearchParams): string | null =>
  /^template:(.+)$/.exec(fields.get("action") ?? "")?.[1] ?? null;

/** The templates that were changed last, each with a small picture of it. A choice submits the form with this id. */
export const TemplatePicker = ({ templates, form }: { templates: readonly TemplateName[]; form: string }) =>
  templates.length === 0 ? null : (
    <Dialog label="Use a template" title="Choose a template" icon="template" kind="quiet">
      <ul class="picker">
        {templates.map(({ id, name, subject, updated_at }) => (
          <li>
            <div class="thumb" inert>
              <iframe
                title={`Preview of ${name}`}
                src={`/app/templates/${id}/html`}
                sandbox=""
                loading="lazy"
                tabindex={-1}
              />
            </div>
            <div>
              <Submit label={name} kind="link" form={form} action={`template:${id}`} name={`Use ${name}`} isUnchecked />
              <p class="soft">{subject ?? "No subject"}</p>
              <p class="soft small">
                <Time at={updated_at} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
