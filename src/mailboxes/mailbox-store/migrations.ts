import type { mailboxBudgets, searchBudgets } from "../../platform/budgets/objects.ts";
import { systemFolders } from "./rules.ts";
import { type Sql, value } from "./sql.ts";

/** Text of a migration that creates a table or an index for full text: without a budget it does not compile. */
const table = (name: keyof typeof mailboxBudgets) => `CREATE TABLE ${name}`;
const searchTable = (name: keyof typeof searchBudgets) => `CREATE VIRTUAL TABLE ${name}`;

/**
 * The schema of a mailbox's database, one entry a change. Triggers keep the counters of the folders, so that no count
 * reads messages. `messages.id` grows with each message and stays when it moves; (folder, uid) is what clients see.
 */
const migrations: readonly string[] = [
  `
  ${table("folders")} (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    role TEXT,
    uidvalidity INTEGER NOT NULL UNIQUE,
    uidnext INTEGER NOT NULL DEFAULT 1,
    total INTEGER NOT NULL DEFAULT 0,
    unseen INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    files INTEGER NOT NULL DEFAULT 0,
    file_bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  ${table("messages")} (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder INTEGER NOT NULL,
    uid INTEGER NOT NULL,
    object TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    arrived_at INTEGER NOT NULL,
    came_from INTEGER,
    date INTEGER NOT NULL,
    message_id TEXT,
    thread TEXT NOT NULL,
    in_reply_to TEXT,
    from_email TEXT,
    from_name TEXT,
    subject TEXT NOT NULL,
    preview TEXT NOT NULL,
    size INTEGER NOT NULL,
    header_size INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    flagged INTEGER NOT NULL DEFAULT 0,
    answered INTEGER NOT NULL DEFAULT 0,
    draft INTEGER NOT NULL,
    files INTEGER NOT NULL,
    file_bytes INTEGER NOT NULL,
    problem TEXT,
    recipients TEXT NOT NULL,
    refs TEXT NOT NULL,
    authentication TEXT,
    parts TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX messages_by_uid ON messages (folder, uid);
  CREATE INDEX messages_by_time ON messages (folder, received_at, uid);
  CREATE INDEX messages_by_thread ON messages (thread, received_at);
  CREATE INDEX messages_by_object ON messages (object);
  CREATE INDEX messages_to_expire ON messages (arrived_at) WHERE folder IN (4, 5);
  ${searchTable("message_search")} USING fts5 (
    place, sender, recipients, subject, body, tokenize = "unicode61 remove_diacritics 2"
  );
  ${table("labels")} (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, color TEXT NOT NULL) STRICT;
  ${table("message_labels")} (
    message INTEGER NOT NULL, label TEXT NOT NULL, PRIMARY KEY (message, label)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX message_labels_by_label ON message_labels (label);
  ${table("thread_ids")} (message_id TEXT PRIMARY KEY, thread TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX thread_ids_by_thread ON thread_ids (thread);
  ${table("addresses")} (email TEXT PRIMARY KEY, name TEXT, uses INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX addresses_by_uses ON addresses (uses);
  ${table("deliveries")} (key TEXT PRIMARY KEY, object TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_by_time ON deliveries (at);
  ${table("deleted_objects")} (object TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  ${table("blocked_senders")} (email TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  ${table("settings")} (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
    UPDATE folders SET total = total + 1, unseen = unseen + (1 - new.seen), bytes = bytes + new.size,
      files = files + new.files, file_bytes = file_bytes + new.file_bytes WHERE id = new.folder;
  END;
  CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
    UPDATE folders SET total = total - 1, unseen = unseen - (1 - old.seen), bytes = bytes - old.size,
      files = files - old.files, file_bytes = file_bytes - old.file_bytes WHERE id = old.folder;
  END;
  CREATE TRIGGER message_changed AFTER UPDATE OF folder, seen ON messages BEGIN
    UPDATE folders SET total = total - 1, unseen = unseen - (1 - old.seen), bytes = bytes - old.size,
      files = files - old.files, file_bytes = file_bytes - old.file_bytes WHERE id = old.folder;
    UPDATE folders SET total = total + 1, unseen = unseen + (1 - new.seen), bytes = bytes + new.size,
      files = files + new.files, file_bytes = file_bytes + new.file_bytes WHERE id = new.folder;
  END;`,
  // Files that were uploaded for a message, until it is sent.
  `
  ${table("uploads")} (object TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX uploads_by_expiry ON uploads (expires_at);`,
  // The alarm may run for another reason, so each object has its own time.
  "ALTER TABLE deleted_objects ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0",
  // The folder of a delivery decides about forwards, also when it is repeated. The automatic reply to a sender is one a day.
  `
  ALTER TABLE deliveries ADD COLUMN folder TEXT;
  ${table("auto_replied")} (sender TEXT PRIMARY KEY, at INTEGER NOT NULL, reply TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX auto_replied_by_time ON auto_replied (at);`,
  // Imports that continue in the background: few rows, so no index. The archive is deleted when its import ends.
  `
  ${table("imports")} (
    id TEXT PRIMARY KEY, object TEXT NOT NULL, size INTEGER NOT NULL, format TEXT NOT NULL, folder TEXT NOT NULL,
    status TEXT NOT NULL, step INTEGER NOT NULL, cursor TEXT NOT NULL, imported INTEGER NOT NULL,
    duplicates INTEGER NOT NULL, skipped INTEGER NOT NULL, errors TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,
  // Conversations of a folder. A mailbox of an earlier version reads each of its messages once for these indexes.
  `
  CREATE INDEX messages_by_conversation ON messages (folder, thread, received_at, uid);
  CREATE INDEX messages_unseen ON messages (folder, thread) WHERE seen = 0;`,
  // Modification sequences (RFC 7162), one counter a folder: triggers raise it, so that no change can forget to. A mailbox of an earlier
  // version reads each of its messages once for the index.
  `
  ALTER TABLE folders ADD COLUMN modseq INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE folders ADD COLUMN expunged_after INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE folders ADD COLUMN subscribed INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE messages ADD COLUMN modseq INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE messages ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE messages ADD COLUMN keywords TEXT NOT NULL DEFAULT '';
  ${table("keywords")} (name TEXT PRIMARY KEY COLLATE NOCASE) STRICT, WITHOUT ROWID;
  ${table("expunged")} (
    folder INTEGER NOT NULL, modseq INTEGER NOT NULL, uid INTEGER NOT NULL, PRIMARY KEY (folder, modseq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX messages_by_modseq ON messages (folder, modseq);
  CREATE INDEX messages_marked_deleted ON messages (folder, uid) WHERE deleted = 1;
  DROP TRIGGER message_added;
  DROP TRIGGER message_removed;
  DROP TRIGGER message_changed;
  CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
    UPDATE folders SET total = total + 1, unseen = unseen + (1 - new.seen), bytes = bytes + new.size,
      files = files + new.files, file_bytes = file_bytes + new.file_bytes, modseq = modseq + 1 WHERE id = new.folder;
    UPDATE messages SET modseq = (SELECT modseq FROM folders WHERE id = new.folder) WHERE id = new.id;
  END;
  CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
    UPDATE folders SET total = total - 1, unseen = unseen - (1 - old.seen), bytes = bytes - old.size,
      files = files - old.files, file_bytes = file_bytes - old.file_bytes, modseq = modseq + 1 WHERE id = old.folder;
    INSERT INTO expunged SELECT id, modseq, old.uid FROM folders WHERE id = old.folder;
  END;
  CREATE TRIGGER message_flagged AFTER UPDATE OF seen, flagged, answered, draft, deleted, keywords ON messages
    WHEN old.folder = new.folder AND (old.seen <> new.seen OR old.flagged <> new.flagged OR old.answered <> new.answered
      OR old.draft <> new.draft OR old.deleted <> new.deleted OR old.keywords <> new.keywords) BEGIN
    UPDATE folders SET unseen = unseen + old.seen - new.seen, modseq = modseq + 1 WHERE id = new.folder;
    UPDATE messages SET modseq = (SELECT modseq FROM folders WHERE id = new.folder) WHERE id = new.id;
  END;
  CREATE TRIGGER message_moved AFTER UPDATE OF folder ON messages WHEN old.folder <> new.folder BEGIN
    UPDATE folders SET total = total - 1, unseen = unseen - (1 - old.seen), bytes = bytes - old.size,
      files = files - old.files, file_bytes = file_bytes - old.file_bytes, modseq = modseq + 1 WHERE id = old.folder;
    INSERT INTO expunged SELECT id, modseq, old.uid FROM folders WHERE id = old.folder;
    UPDATE folders SET total = total + 1, unseen = unseen + (1 - new.seen), bytes = bytes + new.size,
      files = files + new.files, file_bytes = file_bytes + new.file_bytes, modseq = modseq + 1 WHERE id = new.folder;
    UPDATE messages SET modseq = (SELECT modseq FROM folders WHERE id = new.folder) WHERE id = new.id;
  END;`,
  // Mail programs list messages by the header as it arrived and by the tree of parts, which is JSON. In a table of its own, so that other lists
  // do not read it. The alarm adds the rows of messages of earlier versions.
  `
  ${table("message_structures")} (message INTEGER PRIMARY KEY, header TEXT, structure TEXT NOT NULL) STRICT;
  CREATE TRIGGER message_structure_removed AFTER DELETE ON messages BEGIN
    DELETE FROM message_structures WHERE message = old.id;
  END;
  ${table("structures_to_add")} (message INTEGER PRIMARY KEY) STRICT;
  INSERT INTO structures_to_add SELECT id FROM messages;`,
  // The recipient of the envelope: one of the addresses of the mailbox, from which a reply is sent.
  "ALTER TABLE messages ADD COLUMN delivered_to TEXT",
  // A repeated delivery gets the forwards that the filters decided when the first one was stored.
  `
  ${table("filters")} (
    id TEXT PRIMARY KEY, name TEXT, match TEXT NOT NULL, actions TEXT NOT NULL, position INTEGER NOT NULL, is_active INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE deliveries ADD COLUMN forwards TEXT;`,
  // The email that sends a draft, as JSON (draft-claims.ts).
  "ALTER TABLE messages ADD COLUMN claim TEXT",
  // Those whose objects could not be read come after the others.
  "ALTER TABLE structures_to_add ADD COLUMN tries INTEGER NOT NULL DEFAULT 0",
  // When a filter last took a message that it forwards.
  "ALTER TABLE filters ADD COLUMN forwarded_at INTEGER",
  `${table("saved_replies")} (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, text TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  // Who cares for a conversation, and what people have done with it (thread-states.ts).
  `
  ${table("thread_states")} (thread TEXT PRIMARY KEY, assignee TEXT, assignee_name TEXT, closed_at INTEGER) STRICT, WITHOUT ROWID;
  ${table("thread_entries")} (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, thread TEXT NOT NULL, kind TEXT NOT NULL, author TEXT, author_name TEXT,
    text TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX thread_entries_by_thread ON thread_entries (thread, n);
  CREATE INDEX thread_notes ON thread_entries (n) WHERE kind = 'note';
  ${table("thread_writers")} (
    thread TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (thread, person)
  ) STRICT, WITHOUT ROWID;`,
];

/** Brings the database of a mailbox to a version of the schema, by default the newest. A new one gets the system folders. `now` in ms. */
export function migrate(sql: Sql, now: number, version = migrations.length): void {
  sql.exec("CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY) STRICT");
  const done = value<number>(sql, "SELECT coalesce(max(version), 0) FROM migrations") ?? 0;
  for (const [index, statements] of migrations.entries()) {
    if (index < done || index >= version) continue;
    sql.exec(statements);
    sql.exec("INSERT INTO migrations (version) VALUES (?)", index + 1);
    if (index === 0) addSystemFolders(sql, now);
  }
}

function addSystemFolders(sql: Sql, now: number): void {
  for (const { id, name, role } of systemFolders) {
    const uidvalidity = Math.floor(now / 1000) + id;
    sql.exec("INSERT INTO folders (id, name, role, uidvalidity) VALUES (?, ?, ?, ?)", id, name, role, uidvalidity);
  }
}
