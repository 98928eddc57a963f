import {
  AppLayout,
  counted,
  Empty,
  Field,
  FormDialog,
  List,
  Select,
  Share,
  Status,
  useCaller,
} from "../../../http/ui/index.ts";
import { type MailboxOut, mayManage } from "../../../mailboxes/mailboxes/index.ts";

interface MailboxesPageProps {
  mailboxes: readonly MailboxOut[];
  domains: readonly { id: string; name: string }[];
}

/** The mailboxes of the workspace, and the dialog that creates one. */
export function MailboxesPage({ mailboxes, domains }: MailboxesPageProps) {
  const mayCreate = mayManage(useCaller().actor) && domains.length > 0;
  return (
    <AppLayout title="Mailboxes" actions={mayCreate ? <CreateDialog domains={domains} /> : null}>
      <List
        caption="Mailboxes"
        columns={["Address", "Name", "Status", "Used", "Assigned to"]}
        empty={
          <Empty
            action={domains.length === 0 ? { href: "/app/domains", label: "Add a domain", isMain: true } : undefined}
            command={{
              path: "/v1/mailboxes/",
              body: { local_part: "hello", domain_id: domains[0]?.id ?? "DOMAIN_ID" },
            }}
          >
            No mailbox yet. Emails are sent from a mailbox on one of your domains.
          </Empty>
        }
        rows={mailboxes.map((mailbox) => [
          <a href={`/app/mailboxes/${mailbox.id}`}>{mailbox.address}</a>,
          mailbox.display_name ?? "",
          <Status word={mailbox.is_active ? "active" : "off"} />,
          <Usage {...mailbox} />,
          peopleText(mailbox.assignee_ids.length),
        ])}
      />
    </AppLayout>
  );
}

const CreateDialog = ({ domains }: Pick<MailboxesPageProps, "domains">) => (
  <FormDialog label="New mailbox" icon="plus" action="/app/mailboxes" once button="Create mailbox">
    <Field name="local_part" label="Name before the @" hint="* receives mail to every address without a mailbox." />
    <Select name="domain_id" label="Domain" options={domains.map(({ id, name }) => ({ value: id, label: name }))} />
    <Field name="display_name" label="Name of the sender" required={false} />
  </FormDialog>
);

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** Returns a number of bytes for readers, such as `1.4 MB`. */
function size(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`;
}

/** Shows the size of a mailbox, and its share of the quota when it has one. */
export const Usage = ({ used_bytes: used, quota_bytes: quota }: Pick<MailboxOut, "used_bytes" | "quota_bytes">) =>
  quota === null ? <span>{size(used)}</span> : <Share of={used / quota} text={`${size(used)} of ${size(quota)}`} />;

const peopleText = (count: number) => (count === 0 ? "Nobody yet" : counted(count, "person", "people"));
