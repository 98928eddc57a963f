/** The responses by which a client of IMAP learns of changes in its folder (mail-gateway/imap/). */
import { describe, expect, it } from "vitest";
import type { MessageState } from "../../mail-gateway/imap/mailbox.ts";
import { SelectedFolder } from "../../mail-gateway/imap/selected-folder.ts";
import { Cursor } from "../../src/mail/imap/cursor.ts";
import { readSequenceSet } from "../../src/mail/imap/sequence-sets.ts";

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
  it.each([
    ["1:*", false, "[[1,19999]]"],
    ["1:*", true, "[[1,19999]]"],
    ["2:3,*", false, "[[3,5],[19999,19999]]"],
    ["20001:*", false, "[[19999,19999]]"],
    ["20001", false, "[]"],
    ["6:2,30000", true, "[[2,6]]"],
  ])("has ranges of UIDs as few as a client names, whatever gaps there are: %s by UID %s", (text, byUid, ranges) => {
    const set = readSequenceSet(new Cursor([text]));
    const folder = folderOf(...Array.from({ length: 10_000 }, (_, index) => 2 * index + 1));
    expect(JSON.stringify(folder.rangesOf(set, byUid))).toBe(ranges);
    expect(folderOf().rangesOf(set, byUid).length).toBe(0);
  });
});
