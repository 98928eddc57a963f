import type { CallerCtx } from "../../../access/caller.ts";
import type { ListOut } from "../../../audience/contacts/index.ts";
import type { FormOut } from "../../../audience/forms/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ButtonLink,
  Check,
  Code,
  Dialog,
  Empty,
  ErrorSummary,
  Field,
  Form,
  Layout,
  List,
  Status,
  TextArea,
  Time,
} from "../../../http/ui/index.ts";

/** The fields of a form, as they were filled in. */
export interface FormDraft {
  name: string;
  title: string;
  text: string;
  button: string;
  /** Lines as `toLines` writes them. */
  fields: string;
  successMessage: string;
  redirectUrl: string;
  isActive: boolean;
  idempotencyKey: string;
}

/** The settings of confirmation of a list, as they were filled in. */
export interface ConfirmationDraft {
  confirm: boolean;
  subject: string;
  text: string;
}

interface PageProps {
  caller: CallerCtx;
  list: ListOut;
  refusal?: Refusal | undefined;
}

type FormsPageProps = PageProps & {
  forms: readonly FormOut[];
  draft: FormDraft;
  confirmation: ConfirmationDraft;
  /** The form that was refused. */
  refused?: "form" | "confirmation" | undefined;
  notice?: string | undefined;
};

const mayManage = (caller: CallerCtx) => caller.actor.scopes.has("contacts:manage");

/** The forms of a list, and whether the list asks for confirmation. */
export function FormsPage(props: FormsPageProps) {
  const { caller, list, forms, notice } = props;
  return (
    <Layout
      title={`Sign-up to ${list.name}`}
      caller={caller}
      at="/app/contacts"
      actions={mayManage(caller) ? <CreateDialog {...props} /> : null}
      notice={notice}
    >
      <p>
        <a href={`/app/contacts/${list.id}`}>{list.name}</a>:{" "}
        {list.confirm
          ? "new contacts get mail after they have confirmed by a link."
          : "new contacts get mail at once. Who uses a form always confirms."}
      </p>
      {forms.length === 0 ? (
        <Empty drawing="people">
          No form yet. A form is a page, or HTML for your own, by which people join the list.
        </Empty>
      ) : (
        <List
          caption="Forms"
          columns={["Form", "Page", "Status", "Created"]}
          rows={forms.map(({ id, name, url, is_active, created_at }) => [
            mayManage(caller) ? <a href={`/app/contacts/${list.id}/forms/${id}`}>{name}</a> : name,
            <a href={url}>Open</a>,
            <Status word={is_active ? "active" : "paused"} />,
            <Time at={created_at} />,
          ])}
        />
      )}
      {mayManage(caller) ? <ConfirmationForm {...props} /> : null}
    </Layout>
  );
}

const ConfirmationForm = ({ list, confirmation, refused, refusal }: FormsPageProps) => {
  const shown = refused === "confirmation" ? refusal : undefined;
  return (
    <Form class="form" action={`/app/contacts/${list.id}/confirmation`}>
      <h2>Confirmation</h2>
      <ErrorSummary refusal={shown} />
      <Check name="confirm" label="New contacts confirm by a link in an email" checked={confirmation.confirm} />
      <Field
        name="confirm_subject"
        label="Subject of the email"
        required={false}
        value={confirmation.subject}
        errors={shown?.errors}
        maxlength={200}
      />
      <TextArea
        name="confirm_text"
        label="Text above its button"
        required={false}
        rows={3}
        value={confirmation.text}
        errors={shown?.errors}
      />
      <button class="quiet" type="submit">
        Save
      </button>
    </Form>
  );
};

const CreateDialog = ({ list, draft, refused, refusal }: FormsPageProps) => {
  const shown = refused === "form" ? refusal : undefined;
  return (
    <Dialog label="New form" icon="plus" isOpen={shown !== undefined}>
      <Form action={`/app/contacts/${list.id}/forms`} once={draft.idempotencyKey}>
        <ErrorSummary refusal={shown} />
        <Fields draft={draft} refusal={shown} />
        <button type="submit">Create form</button>
      </Form>
    </Dialog>
  );
};

const Fields = ({ draft, refusal }: { draft: FormDraft; refusal: Refusal | undefined }) => (
  <>
    <Field name="name" label="Name" hint="For you alone." value={draft.name} errors={refusal?.errors} maxlength={200} />
    <Field name="title" label="Heading" value={draft.title} errors={refusal?.errors} maxlength={200} />
    <TextArea
      name="text"
      label="Text"
      hint="What people sign up for. It is kept as evidence."
      rows={3}
      value={draft.text}
      errors={refusal?.errors}
    />
    <TextArea
      name="fields"
      label="Further fields"
      hint="One a line: a name and its label, such as “city: Your town”. A star at the end: required. “name” is the contact's name."
      required={false}
      rows={3}
      value={draft.fields}
      errors={refusal?.errors}
    />
    <Field name="button" label="Button" value={draft.button} errors={refusal?.errors} maxlength={50} />
    <TextArea
      name="success_message"
      label="Message after a submission"
      rows={2}
      value={draft.successMessage}
      errors={refusal?.errors}
    />
    <Field
      name="redirect_url"
      label="Page in place of the message"
      hint="An https URL."
      required={false}
      value={draft.redirectUrl}
      errors={refusal?.errors}
    />
  </>
);

/** The page of one form, with its address and its HTML. */
export const FormPage = ({
  caller,
  list,
  form,
  draft,
  refusal,
}: Omit<PageProps, "list"> & { list: Pick<ListOut, "id" | "name">; form: FormOut; draft: FormDraft }) => (
  <Layout
    title={form.name}
    caller={caller}
    at="/app/contacts"
    actions={
      <>
        <ButtonLink to={form.url} label="Open the page" kind="quiet" />
        <ButtonLink to={`/app/contacts/${list.id}/forms/${form.id}/delete`} label="Delete" kind="danger" />
      </>
    }
  >
    <p>
      A form of <a href={`/app/contacts/${list.id}/forms`}>{list.name}</a>.
    </p>
    <Form class="form" action={`/app/contacts/${list.id}/forms/${form.id}`} refusal={refusal}>
      <Fields draft={draft} refusal={refusal} />
      <Check name="is_active" label="The form takes submissions" checked={draft.isActive} />
      <button type="submit">Save</button>
    </Form>
    <h2>HTML for your page</h2>
    <Code label="HTML of the form" text={form.html} />
  </Layout>
);
