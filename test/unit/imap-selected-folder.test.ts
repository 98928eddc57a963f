/** The responses by which a client of IMAP learns of changes in its folder (mail-gateway/imap/). */
import { describe, expect, it } from "vitest";
import type { MessageState } from "../../mail-gateway/imap/mailbox.ts";
import { SelectedFolder } from "../../mail-gateway/imap/selected-folder.ts";

const message = (uid: number, modseq = uid): MessageState => ({ uid, modseq, flags: [], keywords: [] });
const folderOf = (...uids: number[]) =>
  new SelectedFolder("INBOX", false, {
    ...{ uidvalidity: 1, uidnext: 100, highestModseq: 50, keywords: [] },
    messages: uids.map((uid) => message(uid)),
  });
const changes = (changed: MessageState[], expunged: number[]) => ({
  ...{ uidvalidity: 1, uidnext: 101, highestModseq: 60, keywords: [] },
  ...{ changed, expunged },
});

describe("a selected folder", () => {
  it("tells nothing of a message that came and went since the last responses", () => {
    const folder = folderOf(1, 2);
    folder.apply(changes([message(100), message(101)], []));
    folder.apply(changes([], [2, 100]));
    expect(folder.tell({ mayExpunge: true, condstore: false })).toEqual(["* 2 EXPUNGE", "* 2 EXISTS", "* 0 RECENT"]);
  });
});
