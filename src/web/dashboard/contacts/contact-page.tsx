import { ContactIn, type ContactOut, type ListOut } from "../../../audience/contacts/index.ts";
import { fieldsOf } from "../../../http/form-fields.tsx";
import {
  AppLayout,
  ButtonLink,
  Field,
  Form,
  LinkLine,
  TextArea,
  useCaller,
  useError,
  VersionField,
} from "../../../http/ui/index.ts";
import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import type { PersonTopicsOut } from "../../../sending/topics/index.ts";
import { PersonTopics } from "./person-topics.tsx";

const ContactField = fieldsOf(ContactIn).Field;

/** Returns what the form shows and changes, by label. */
export const valuesOf = ({ email, name, metadata }: Pick<ContactOut, "email" | "name" | "metadata">): FormValues => ({
  Address: email,
  Name: name ?? "",
  Details: JSON.stringify(metadata),
});

/** Rows for further details. */
const EMPTY_ROWS = 3;

/** The details as rows of name and value. What is no text is its JSON, and stays what it is. */
function Details({ of }: { of: Record<string, unknown> }) {
  const stored = Object.entries(of).map(([name, value]) =>
    typeof value === "string" ? { name, value, kind: "text" } : { name, value: JSON.stringify(value), kind: "json" },
  );
  const empty = Array.from({ length: EMPTY_ROWS }, () => ({ name: "", value: "", kind: "text" }));
  const error = useError("metadata");
  return (
    <fieldset id="metadata" tabindex={-1}>
      <legend>Details</legend>
      <p class="hint">
        Broadcasts fill {"{{city}}"} in with the detail that is named “city”. Empty a name to remove its row.
      </p>
      {error === undefined ? null : <p class="error">{error}</p>}
      {[...stored, ...empty].map(({ name, value, kind }, row) => (
        <div class="pair">
          <input type="hidden" name={`detail.${row}.kind`} value={kind} />
          <Field name={`detail.${row}.name`} label="Name" required={false} value={name} />
          {value.includes("\n") ? (
            <TextArea name={`detail.${row}.value`} label="Value" required={false} value={value} />
          ) : (
            <Field name={`detail.${row}.value`} label="Value" required={false} value={value} />
          )}
        </div>
      ))}
    </fieldset>
  );
}

interface ContactPageProps {
  list: Pick<ListOut, "id" | "name">;
  contact: ContactOut;
  person: PersonTopicsOut;
}

/** The page that changes one contact of a list. */
export const ContactPage = ({ list, contact, person }: ContactPageProps) => (
  <AppLayout title={contact.email}>
    <p>
      In the list <a href={`/app/contacts/${list.id}`}>{list.name}</a>.
    </p>
    <Form class="form" action={`/app/contacts/${list.id}/contacts/${contact.id}`}>
      <VersionField version={versionOf(valuesOf(contact))} />
      <ContactField name="email" label="Address" value={contact.email} />
      <ContactField name="name" label="Name" value={contact.name ?? ""} />
      <Details of={contact.metadata ?? {}} />
      <button type="submit">Save</button>
    </Form>
    <LinkLine to={`/app/contacts/${list.id}/contacts/${contact.id}/timeline`} label="Timeline of this person" />
    {person.topics.length === 0 ? null : (
      <PersonTopics path={`/app/contacts/${list.id}/contacts/${contact.id}/topics`} person={person} />
    )}
    {useCaller().actor.role === "member" ? null : (
      <section>
        <h2>Person</h2>
        <p>Everything that sending stores about {contact.email}, in all lists.</p>
        <p>
          <ButtonLink to={`/app/contacts/${list.id}/contacts/${contact.id}/export`} label="Export" kind="quiet" />{" "}
          <ButtonLink
            to={`/app/contacts/${list.id}/contacts/${contact.id}/erase`}
            label="Erase this person"
            kind="danger"
          />
        </p>
      </section>
    )}
  </AppLayout>
);
