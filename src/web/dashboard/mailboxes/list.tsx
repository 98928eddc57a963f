import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Dialog, Empty, Field, Form, Layout, List, Pager, Select, Share, Status } from "../../../http/ui/index.ts";
import { type MailboxOut, mayManage } from "../../../mailboxes/mailboxes/index.ts";
import { curlLine } from "../curl-line.ts";

interface MailboxesPageProps {
  caller: CallerCtx;
  mailboxes: readonly MailboxOut[];
  domains: readonly { id: string; name: string }[];
  form: { local_part: string; domain_id: string; display_name: string; idempotencyKey: string };
  next: string | null;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** The mailboxes of the workspace, and the dialog that creates one. */
export function MailboxesPage({ caller, mailboxes, domains, form, next, notice, refusal }: MailboxesPageProps) {
  const mayCreate = mayManage(caller.actor) && domains.length > 0;
  return (
    <Layout
      title="Mailboxes"
      caller={caller}
      at="/app/mailboxes"
      actions={mayCreate ? <CreateDialog {...{ domains, form, refusal }} /> : null}
      notice={notice}
    >
      {mailboxes.length === 0 ? (
        <Empty
          action={domains.length === 0 ? { href: "/app/domains", label: "Add a domain", isMain: true } : undefined}
          command={curlLine(caller, "/v1/mailboxes/", {
            local_part: "hello",
            domain_id: domains[0]?.id ?? "DOMAIN_ID",
          })}
        >
          No mailbox yet. Emails are sent from a mailbox on one of your domains.
        </Empty>
      ) : (
        <List
          caption="Mailboxes"
          columns={["Address", "Name", "Status", "Used", "Assigned to"]}
          rows={mailboxes.map((mailbox) => [
            <a href={`/app/mailboxes/${mailbox.id}`}>{mailbox.address}</a>,
            mailbox.display_name ?? "",
            <Status word={mailbox.is_active ? "active" : "off"} />,
            <Usage {...mailbox} />,
            peopleText(mailbox.assignee_ids.length),
          ])}
        />
      )}
      <Pager next={next} label="More" />
    </Layout>
  );
}

const CreateDialog = ({ domains, form, refusal }: Pick<MailboxesPageProps, "domains" | "form" | "refusal">) => {
  const errors = refusal?.errors;
  return (
    <Dialog label="New mailbox" icon="plus" isOpen={refusal !== undefined}>
      <Form action="/app/mailboxes" once={form.idempotencyKey} refusal={refusal}>
        <Field
          name="local_part"
          label="Name before the @"
          hint="* receives mail to every address without a mailbox."
          value={form.local_part}
          errors={errors}
        />
        <Select
          name="domain_id"
          label="Domain"
          value={form.domain_id}
          errors={errors}
          options={domains.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Field
          name="display_name"
          label="Name of the sender"
          required={false}
          value={form.display_name}
          errors={errors}
        />
        <button type="submit">Create mailbox</button>
      </Form>
    </Dialog>
  );
};

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** Returns a number of bytes for readers, such as `1.4 MB`. */
export function size(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`;
}

/** Shows the size of a mailbox, and its share of the quota when it has one. */
export const Usage = ({ used_bytes: used, quota_bytes: quota }: Pick<MailboxOut, "used_bytes" | "quota_bytes">) =>
  quota === null ? <span>{size(used)}</span> : <Share of={used / quota} text={`${size(used)} of ${size(quota)}`} />;

/** Returns how many people a mailbox is assigned to. */
const peopleText = (count: number) => (count === 0 ? "Nobody yet" : count === 1 ? "1 person" : `${count} people`);
