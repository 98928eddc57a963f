import type { Child } from "hono/jsx";
import type { FoundContact } from "../../../audience/contacts/index.ts";
import type { DomainRow } from "../../../domains/domains/index.ts";
import {
  AppLayout,
  Empty,
  Form,
  Icon,
  type IconName,
  LinkLine,
  type MenuEntry,
  SearchField,
  Status,
  Time,
} from "../../../http/ui/index.ts";
import type { SearchOut } from "../../../sending/emails/index.ts";
import { EmailStatus } from "../email-status.tsx";
import { shortRecipients } from "../short-recipients.ts";

interface SearchPageProps {
  q: string;
  emails: readonly SearchOut[];
  contacts: readonly FoundContact[];
  domains: readonly DomainRow[];
  /** Pages whose name matches, or all when nothing is searched for. */
  entries: readonly MenuEntry[];
}

/** Shows the results of a search over everything, by kind. The palette shows its links too. */
export function SearchPage({ q, emails, contacts, domains, entries }: SearchPageProps) {
  const isEmpty = emails.length + contacts.length + domains.length + entries.length === 0;
  return (
    <AppLayout title={q === "" ? "Find" : `Results for “${q}”`} query={q}>
      <Form class="find-page" method="get" action="/app/search">
        <SearchField label="Find emails, contacts, domains and settings" value={q} maxlength={200} />
      </Form>
      {isEmpty ? <Empty drawing="search">Nothing matches. Try part of an address, a subject or a domain.</Empty> : null}
      <div class="found" data-found="">
        <Group
          name="Emails"
          icon="mail"
          more={emails.length === 0 ? undefined : `/app/emails?${new URLSearchParams({ q })}`}
        >
          {emails.map((email) => (
            <li>
              <a href={`/app/emails/${email.id}`}>{email.subject === "" ? "(no subject)" : email.subject}</a>
              <span class="soft">{shortRecipients(email.to_addresses)}</span>
              <EmailStatus of={email} />
              <Time at={email.created_at} />
            </li>
          ))}
        </Group>
        <Group name="Contacts" icon="people">
          {contacts.map(({ id, listId, listName, email, name }) => (
            <li>
              <a href={`/app/contacts/${listId}/contacts/${id}`}>{email}</a>
              <span class="soft">{name === null ? listName : `${name}, ${listName}`}</span>
            </li>
          ))}
        </Group>
        <Group name="Domains" icon="globe">
          {domains.map(({ id, name, status }) => (
            <li>
              <a href={`/app/domains/${id}`}>{name}</a>
              <Status word={status} />
            </li>
          ))}
        </Group>
        <Group name="Pages and settings" icon="settings">
          {entries.map(({ path, name }) => (
            <li>
              <a href={path}>{name}</a>
            </li>
          ))}
        </Group>
      </div>
    </AppLayout>
  );
}

interface GroupProps {
  name: string;
  icon: IconName;
  /** URL of all results of this kind. */
  more?: string | undefined;
  children: readonly Child[];
}

const Group = ({ name, icon, more, children }: GroupProps) =>
  children.length === 0 ? null : (
    <section class="card">
      <h2>
        <Icon name={icon} /> {name}
      </h2>
      <ul>{children}</ul>
      {more === undefined ? null : <LinkLine to={more} label="All emails that match" />}
    </section>
  );
