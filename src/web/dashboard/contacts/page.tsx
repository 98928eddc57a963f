import type { CallerCtx } from "../../../access/caller.ts";
import type { ContactOut, ListOut } from "../../../audience/contacts/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { ButtonLink, Dialog, Empty, Field, Form, Layout, List, Pager, Status, Time } from "../../../http/ui/index.ts";
import { curlLine } from "../curl-line.ts";

interface PageProps {
  caller: CallerCtx;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

const mayManage = (caller: CallerCtx) => caller.actor.scopes.has("contacts:manage");

interface NewListForm {
  name: string;
  idempotencyKey: string;
}

/** The contact lists of the workspace, and the dialog that creates one. */
export const ListsPage = ({
  caller,
  lists,
  form,
  notice,
  refusal,
}: PageProps & { lists: readonly ListOut[]; form: NewListForm }) => (
  <Layout
    title="Contacts"
    caller={caller}
    at="/app/contacts"
    actions={mayManage(caller) ? <CreateDialog {...{ form, refusal }} /> : null}
    notice={notice}
  >
    {lists.length === 0 ? (
      <Empty drawing="people" command={curlLine(caller, "/v1/contacts/", { name: "Customers" })}>
        No contact list yet. A broadcast is sent to a list.
      </Empty>
    ) : (
      <List
        caption="Contact lists"
        columns={["List", "Contacts", "Created"]}
        rows={lists.map(({ id, name, contact_count, created_at }) => [
          <a href={`/app/contacts/${id}`}>{name}</a>,
          contact_count.toLocaleString("en"),
          <Time at={created_at} />,
        ])}
      />
    )}
  </Layout>
);

const CreateDialog = ({ form, refusal }: Pick<PageProps, "refusal"> & { form: NewListForm }) => (
  <Dialog label="New list" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/contacts" once={form.idempotencyKey} refusal={refusal}>
      <Field name="name" label="Name" value={form.name} errors={refusal?.errors} maxlength={200} />
      <button type="submit">Create list</button>
    </Form>
  </Dialog>
);

interface ListPageProps extends PageProps {
  list: ListOut;
  contacts: readonly ContactOut[];
  search: string;
  form: { email: string; name: string; idempotencyKey: string };
  next: string | null;
}

/** One list with its contacts, and what adds, imports and exports some. */
export function ListPage({ caller, list, contacts, search, form, next, notice, refusal }: ListPageProps) {
  const path = `/app/contacts/${list.id}`;
  return (
    <Layout
      title={list.name}
      caller={caller}
      at="/app/contacts"
      actions={<Actions {...{ caller, path, form, refusal }} />}
      notice={notice}
    >
      <p>
        {list.contact_count.toLocaleString("en")} {list.contact_count === 1 ? "contact" : "contacts"}.{" "}
        {list.description ?? ""}
      </p>
      <Form class="filter" method="get" action={path}>
        <Field name="q" label="Find by address or name" type="search" required={false} value={search} maxlength={320} />
        <button type="submit">Find</button>
      </Form>
      {contacts.length === 0 ? (
        <Empty
          drawing={search === "" ? "people" : "search"}
          action={search === "" ? undefined : { href: path, label: "Show all contacts" }}
        >
          {search === "" ? "The list is empty. Add a contact or import a file." : "No contact matches."}
        </Empty>
      ) : (
        <List
          caption="Contacts"
          columns={["Address", "Name", "Status", "Details", ...(mayManage(caller) ? ["Action"] : [])]}
          rows={contacts.map((contact) => [
            mayManage(caller) ? <a href={`${path}/contacts/${contact.id}`}>{contact.email}</a> : contact.email,
            contact.name ?? "",
            <Status word={wordOf(contact)} />,
            describe(contact),
            ...(mayManage(caller) ? [<DeleteForm path={path} contact={contact} />] : []),
          ])}
        />
      )}
      <Pager next={next} label="More" />
    </Layout>
  );
}

const Actions = ({ caller, path, form, refusal }: AddDialogProps & { caller: CallerCtx }) => (
  <>
    {mayManage(caller) ? <AddDialog {...{ path, form, refusal }} /> : null}
    {mayManage(caller) ? <ButtonLink to={`${path}/import`} label="Import a file" kind="quiet" icon="upload" /> : null}
    {caller.actor.scopes.has("broadcasts:send") ? (
      <ButtonLink to={`${path}/send`} label="Send an email" kind="quiet" />
    ) : null}
    <ButtonLink to={`${path}/forms`} label="Sign-up" kind="quiet" />
    <ButtonLink to={`${path}/export`} label="Export as CSV" kind="quiet" />
    {mayManage(caller) ? <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" /> : null}
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
    <button
      class="link"
      type="submit"
      aria-label={`Delete ${contact.email}`}
      data-confirm={deletionQuestion(contact.email)}
      data-confirmed="Delete contact"
    >
      Delete
    </button>
  </Form>
);

type AddDialogProps = { path: string } & Pick<ListPageProps, "form" | "refusal">;

const AddDialog = ({ path, form, refusal }: AddDialogProps) => (
  <Dialog label="Add a contact" icon="plus" isOpen={refusal !== undefined}>
    <Form action={path} once={form.idempotencyKey} refusal={refusal}>
      <Field name="email" label="Address" value={form.email} errors={refusal?.errors} maxlength={254} />
      <Field name="name" label="Name" required={false} value={form.name} errors={refusal?.errors} />
      <button type="submit">Add contact</button>
    </Form>
  </Dialog>
);
