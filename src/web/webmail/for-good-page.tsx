import type { BulkForm } from "./bulk.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";

interface ForGoodPageProps {
  page: OpenPage;
  bulk: BulkForm;
  /** Path of the list. */
  back: string;
}

/** The page that asks before messages are deleted for good. With the script, a dialog asks instead. */
export function ForGoodPage({ page, bulk, back }: ForGoodPageProps) {
  const places = [...bulk.uids].flatMap(([folder, uids]) => uids.map((uid) => `${uid}:${folder}`));
  const what = places.length === 1 ? "this message" : `these ${places.length} messages`;
  return (
    <WebmailLayout {...page} title={`Delete ${what}?`} current="Trash">
      <h1>Delete {what} for good?</h1>
      <p>
        Text and files of {what} are deleted from {page.mailbox.address}. This cannot be undone.
      </p>
      <form method="post" class="actions">
        <input type="hidden" name="confirmed" value="yes" />
        {places.map((place) => (
          <input type="hidden" name="uid" value={place} />
        ))}
        <button type="submit" class="danger final" name="action" value={bulk.action}>
          Delete for good
        </button>
        <a class="button quiet" href={back}>
          Cancel
        </a>
      </form>
    </WebmailLayout>
  );
}
