import { ContactIn, type ContactOut, ListIn, type ListOut } from "../../../audience/contacts/index.ts";
import { fieldsOf } from "../../../http/form-fields.tsx";
import {
  AppLayout,
  ButtonLink,
  counted,
  Empty,
  FindForm,
  Form,
  FormDialog,
  List,
  Status,
  Submit,
  Time,
  useScope,
} from "../../../http/ui/index.ts";

const ListFields = fieldsOf(ListIn);
const ContactFields = fieldsOf(ContactIn);

const mayManage = () => useScope("contacts:manage");

/** The contact lists of the workspace, and the dialog that creates one. */
export const ListsPage = ({ lists }: { lists: readonly ListOut[] }) => (
  <AppLayout title="Contacts" actions={mayManage() ? <CreateDialog /> : null}>
    <List
      caption="Contact lists"
      columns={["List", "Contacts", "Created"]}
      empty={
        <Empty drawing="people" command={{ path: "/v1/contacts/", body: { name: "Customers" } }}>
          No contact list yet. A broadcast is sent to a list.
        </Empty>
      }
      rows={lists.map(({ id, name, contact_count, created_at }) => [
        <a href={`/app/contacts/${id}`}>{name}</a>,
        contact_count.toLocaleString("en"),
        <Time at={created_at} />,
      ])}
    />
  </AppLayout>
);

const CreateDialog = () => (
  <FormDialog label="New list" icon="plus" action="/app/contacts" once button="Create list">
    <ListFields.Field name="name" label="Name" />
  </FormDialog>
);

interface ListPageProps {
  list: ListOut;
  contacts: readonly ContactOut[];
  search: string;
}

/** One list with its contacts, and what adds, imports and exports some. */
export function ListPage({ list, contacts, search }: ListPageProps) {
  const path = `/app/contacts/${list.id}`;
  return (
    <AppLayout title={list.name} actions={<Actions path={path} />}>
      <p>
        {counted(list.contact_count, "contact")}. {list.description ?? ""}
      </p>
      <FindForm action={path} name="q" label="Find by address or name" value={search} maxlength={320} />
      <List
        caption="Contacts"
        columns={["Address", "Name", "Status", "Details", mayManage() && "Action"]}
        empty={
          <Empty
            drawing={search === "" ? "people" : "search"}
            action={search === "" ? undefined : { href: path, label: "Show all contacts" }}
          >
            {search === "" ? "The list is empty. Add a contact or import a file." : "No contact matches."}
          </Empty>
        }
        rows={contacts.map((contact) => [
          mayManage() ? <a href={`${path}/contacts/${contact.id}`}>{contact.email}</a> : contact.email,
          contact.name ?? "",
          <Status word={wordOf(contact)} />,
          describe(contact),
          <DeleteForm path={path} contact={contact} />,
        ])}
      />
    </AppLayout>
  );
}

const Actions = ({ path }: { path: string }) => (
  <>
    {mayManage() ? <AddDialog path={path} /> : null}
    {mayManage() ? <ButtonLink to={`${path}/import`} label="Import a file" kind="quiet" icon="upload" /> : null}
    {useScope("broadcasts:send") ? <ButtonLink to={`${path}/send`} label="Send an email" kind="quiet" /> : null}
    <ButtonLink to={`${path}/forms`} label="Sign-up forms" kind="quiet" />
    <ButtonLink to={`${path}/export`} label="Export as CSV" kind="quiet" />
    {mayManage() ? <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" /> : null}
  </>
);

function wordOf({ suppressed, subscribed, status }: ContactOut): string {
  if (suppressed) return "suppressed";
  return subscribed ? status : "unsubscribed";
}

const describe = ({ metadata }: ContactOut) =>
  Object.entries(metadata ?? {})
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

/** Returns the question before a contact is deleted. */
export const deletionQuestion = (email: string) =>
  `Delete ${email} from this list? Waiting emails of broadcasts to it are cancelled.`;

const DeleteForm = ({ path, contact }: { path: string; contact: ContactOut }) => (
  <Form class="inline" action={`${path}/contacts/${contact.id}/delete`}>
    <Submit
      label="Delete"
      kind="danger"
      name={`Delete ${contact.email}`}
      ask={deletionQuestion(contact.email)}
      confirmed="Delete contact"
    />
  </Form>
);

const AddDialog = ({ path }: { path: string }) => (
  <FormDialog label="Add a contact" icon="plus" action={path} once button="Add contact">
    <ContactFields.Field name="email" label="Address" />
    <ContactFields.Field name="name" label="Name" />
  </FormDialog>
);
