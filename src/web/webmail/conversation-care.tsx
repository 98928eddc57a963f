import { Form, Select, Submit, TextArea, Time } from "../../http/ui/index.ts";
import { iso } from "../../lib/time.ts";
import { authorOf, currentState, isShared, type ThreadCare } from "../../mailboxes/inbox/index.ts";
import type { StoredMessage, ThreadEntry, Writer } from "../../mailboxes/mailbox-store/index.ts";
import type { OpenPage } from "./layout.tsx";
import { folderTitle, threadPath } from "./paths.ts";

interface CareProps {
  page: OpenPage;
  message: StoredMessage;
  care: ThreadCare;
}

/** Who cares for a conversation of a mailbox that several people answer: the choice of a person, and whether it is closed. */
export function CareForm({ page, message, care }: CareProps) {
  if (!isShared(page.mailbox)) return null;
  const state = currentState(care.state, page.mailbox.people);
  const people = page.mailbox.people.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Form class="care" action={threadPath(page.mailbox.id, message)} refills={false}>
      <Select name="assignee_id" label="Assigned to" none="Nobody" options={people} value={state.assignee?.id ?? ""} />
      <Submit label="Assign" kind="quiet" action="assign" />
      {state.closedAt === null ? (
        <Submit label="Close" kind="quiet" action="close" />
      ) : (
        <Submit label="Open again" kind="quiet" action="reopen" />
      )}
    </Form>
  );
}

/** The entries of a conversation: notes, and one line for each of the rest. An answer is a message itself. */
export function Entries({ page, message, care: { entries } }: CareProps) {
  const shown = entries.filter(({ kind }) => kind !== "answer");
  if (shown.length === 0 && !isShared(page.mailbox)) return null;
  return (
    <section class="entries" aria-label="Notes">
      <ol id="entries" data-live="">
        {shown.map((entry) =>
          entry.kind === "note" ? (
            <Note page={page} message={message} entry={entry} />
          ) : (
            <li class="soft">
              {sentenceOf(entry)} <Time at={iso(entry.at)} as="short" />
            </li>
          ),
        )}
      </ol>
      <details>
        <summary>Add a note</summary>
        <Form action={threadPath(page.mailbox.id, message)}>
          <TextArea name="note" label="Note for the people of this mailbox" hint="It is never sent." rows={3} />
          <p>
            <Submit label="Add note" kind="quiet" action="note" />
          </p>
        </Form>
      </details>
    </section>
  );
}

/** The other people who write an answer. `data-again`: the page is read again after so many ms, when the first may have stopped. */
export function Writers({ page: { caller, mailbox }, writers }: { page: OpenPage; writers: readonly Writer[] }) {
  if (!isShared(mailbox)) return null;
  const self = authorOf(caller).id;
  const others = writers.filter(({ id, until }) => id !== self && until > caller.now());
  const left = Math.min(...others.map(({ until }) => until - caller.now()));
  const verb = others.length === 1 ? "is" : "are";
  return (
    <p id="writers" role="status" data-live="" data-again={others.length > 0 ? String(left) : undefined}>
      {others.length === 0 ? "" : `${others.map(({ name }) => name).join(" and ")} ${verb} writing an answer`}
    </p>
  );
}

const Note = ({ page, message, entry }: Omit<CareProps, "care"> & { entry: ThreadEntry }) => (
  <li class="note">
    <Form class="actions" action={threadPath(page.mailbox.id, message)} fields={{ note_id: entry.id }} refills={false}>
      <span class="soft">
        Note of {entry.author?.name ?? "somebody"} <Time at={iso(entry.at)} as="short" />
      </span>
      <Submit label="Delete" kind="bare" icon="trash" action="unnote" name="Delete this note" isUnchecked />
    </Form>
    <p class="text">{entry.text}</p>
  </li>
);

function sentenceOf({ kind, author, text }: ThreadEntry): string {
  const who = author?.name ?? "";
  if (kind === "assign") return text === "" ? `${who} assigned it to nobody` : `${who} assigned it to ${text}`;
  if (kind === "move") return `${who} moved it to ${folderTitle(text)}`;
  if (kind === "close") return `${who} closed it`;
  return author === null ? "A new message opened it again" : `${who} opened it again`;
}
