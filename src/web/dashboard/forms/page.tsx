import { type ListOut, ListPatch } from "../../../audience/contacts/index.ts";
import { FormIn, type FormOut } from "../../../audience/forms/index.ts";
import { fieldsOf } from "../../../http/form-fields.tsx";
import {
  AppLayout,
  ButtonLink,
  Code,
  Empty,
  Form,
  FormDialog,
  List,
  Status,
  Submit,
  Time,
  useScope,
} from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import { toLines } from "./field-lines.ts";

const { Field, TextArea, Check } = fieldsOf(FormIn);
const Confirmation = fieldsOf(ListPatch);

interface FormsPageProps {
  list: ListOut;
  forms: readonly FormOut[];
  /** Mailboxes that can send the emails that ask for confirmation. */
  senders: readonly MailboxRow[];
}

const mayManage = () => useScope("contacts:manage");

/** The forms of a list, and whether the list asks for confirmation. */
export const FormsPage = ({ list, forms, senders }: FormsPageProps) => (
  <AppLayout title={`Sign-up to ${list.name}`} actions={mayManage() ? <CreateDialog list={list} /> : null}>
    <p>
      <a href={`/app/contacts/${list.id}`}>{list.name}</a>:{" "}
      {list.confirm
        ? "new contacts get mail after they have confirmed by a link."
        : "new contacts get mail at once. People who use a form always confirm first."}
    </p>
    <FormList forms={forms} />
    {mayManage() ? <ConfirmationForm list={list} senders={senders} /> : null}
  </AppLayout>
);

interface FormListProps {
  /** With the name of its list, where they are of several. */
  forms: readonly (FormOut & { listName?: string })[];
  isOfAll?: boolean;
}

const FormList = ({ forms, isOfAll = false }: FormListProps) => (
  <List
    caption="Forms"
    columns={["Form", isOfAll && "Joins", "Page", "Status", "Created"]}
    empty={
      <Empty drawing="people">
        No form yet. A form is a page, or HTML for your own, by which people join{" "}
        {isOfAll ? "a list of contacts" : "the list"}.
      </Empty>
    }
    rows={forms.map(({ id, name, list_id, listName, url, is_active, created_at }) => [
      mayManage() ? <a href={`/app/contacts/${list_id}/forms/${id}`}>{name}</a> : name,
      listName,
      <a href={url}>Open</a>,
      <Status word={is_active ? "active" : "paused"} />,
      <Time at={created_at} />,
    ])}
  />
);

interface AllFormsPageProps {
  forms: FormListProps["forms"];
  lists: readonly { id: string; name: string }[];
}

/** The forms of all lists, and the lists that a new one may join. */
export const AllFormsPage = ({ forms, lists }: AllFormsPageProps) => (
  <AppLayout title="Forms">
    <FormList forms={forms} isOfAll />
    <h2>New form</h2>
    {lists.length === 0 ? (
      <p>
        A form belongs to a list. <a href="/app/contacts">Make a list first.</a>
      </p>
    ) : (
      <>
        <p>People who use it join:</p>
        <ul>
          {lists.map(({ id, name }) => (
            <li>
              <a href={`/app/contacts/${id}/forms`}>{name}</a>
            </li>
          ))}
        </ul>
      </>
    )}
  </AppLayout>
);

const ConfirmationForm = ({ list, senders }: Omit<FormsPageProps, "forms">) => (
  <Form class="form" action={`/app/contacts/${list.id}/confirmation`}>
    <h2>Confirmation</h2>
    <Confirmation.Check name="confirm" label="New contacts confirm by a link in an email" checked={list.confirm} />
    <Confirmation.Select
      name="confirm_mailbox_id"
      label="From"
      none="The oldest mailbox that may send"
      options={senders.map(({ id, address }) => ({ value: id, label: address }))}
      value={list.confirm_mailbox_id ?? ""}
    />
    <Confirmation.Field name="confirm_subject" label="Subject of the email" value={list.confirm_subject ?? ""} />
    <Confirmation.TextArea name="confirm_text" label="Text above its button" rows={3} value={list.confirm_text ?? ""} />
    <Submit label="Save" kind="quiet" />
  </Form>
);

/** A form with the texts that the API gives it when it has none. */
const NEW_FORM = { ...FormIn.parse({ name: "x", title: "x", text: "x" }), name: "", title: "", text: "" };

const CreateDialog = ({ list }: Pick<FormsPageProps, "list">) => (
  <FormDialog label="New form" icon="plus" action={`/app/contacts/${list.id}/forms`} once button="Create form">
    <Fields form={NEW_FORM} />
  </FormDialog>
);

const Fields = ({ form }: { form: FormIn }) => (
  <>
    <Field name="name" label="Name" hint="For you alone." value={form.name} />
    <Field name="title" label="Heading" value={form.title} />
    <TextArea
      name="text"
      label="Text"
      hint="What people sign up for. It is kept as evidence."
      rows={3}
      value={form.text}
    />
    <TextArea
      name="fields"
      label="Further fields"
      hint="One a line: a name and its label, such as “city: Your town”. A star at the end: required. “name” is the contact's name."
      required={false}
      rows={3}
      value={toLines(form.fields)}
    />
    <Field name="button" label="Button" value={form.button} />
    <TextArea name="success_message" label="Message after a submission" rows={2} value={form.success_message} />
    <Field
      name="redirect_url"
      label="Page in place of the message"
      hint="An https URL."
      value={form.redirect_url ?? ""}
    />
  </>
);

/** The page of one form, with its address and its HTML. */
export const FormPage = ({ list, form }: { list: Pick<ListOut, "id" | "name">; form: FormOut }) => (
  <AppLayout
    title={form.name}
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
    <Form class="form" action={`/app/contacts/${list.id}/forms/${form.id}`}>
      <Fields form={form} />
      <Check name="is_active" label="The form takes submissions" checked={form.is_active} />
      <Submit label="Save" />
    </Form>
    <h2>HTML for your page</h2>
    <Code label="HTML of the form" text={form.html} />
  </AppLayout>
);
