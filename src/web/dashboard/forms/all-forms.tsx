import type { FormOut } from "../../../audience/forms/index.ts";
import { AppLayout, Empty, List, Status, Time, useScope } from "../../../http/ui/index.ts";

/** A form with the name of its list. */
export type FormOfList = FormOut & { listName: string };

/** The forms of all lists, and the lists that a new one may join. */
export function AllFormsPage({ forms, lists }: { forms: readonly FormOfList[]; lists: readonly Named[] }) {
  const mayManage = useScope("contacts:manage");
  return (
    <AppLayout title="Forms">
      <List
        caption="Forms"
        columns={["Form", "Joins", "Page", "Status", "Created"]}
        empty={
          <Empty drawing="people">
            No form yet. A form is a page, or HTML for your own, by which people join a list of contacts.
          </Empty>
        }
        rows={forms.map(({ id, name, list_id, listName, url, is_active, created_at }) => [
          mayManage ? <a href={`/app/contacts/${list_id}/forms/${id}`}>{name}</a> : name,
          listName,
          <a href={url}>Open</a>,
          <Status word={is_active ? "active" : "paused"} />,
          <Time at={created_at} />,
        ])}
      />
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
}

interface Named {
  id: string;
  name: string;
}
