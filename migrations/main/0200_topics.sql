-- Topics of a workspace's mail, and what persons chose about them. A person is an address in canonical form. A choice survives the
-- contacts and lists of the person, so that a later import changes nothing about it.
CREATE TABLE topics (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, -- emails.topic in the mail databases: a number is never used again
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  default_choice TEXT NOT NULL CHECK (default_choice IN ('subscribed', 'unsubscribed')), -- of persons without a choice
  is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX topics_by_id ON topics (workspace, id);

CREATE TABLE topic_choices (
  workspace INTEGER NOT NULL,
  email TEXT NOT NULL, -- canonical form
  topic INTEGER NOT NULL, -- topics.n
  choice TEXT NOT NULL CHECK (choice IN ('subscribed', 'unsubscribed')),
  chosen_at INTEGER NOT NULL,
  method TEXT NOT NULL, -- how: one-click, mailto, page, api
  PRIMARY KEY (workspace, email, topic)
) STRICT, WITHOUT ROWID;
-- Counts those who differ from the default, and finds the choices of a deleted topic.
CREATE INDEX topic_choices_by_topic ON topic_choices (topic, choice, email);
-- The part of the suppression list that is about topics, in its order.
CREATE INDEX topic_unsubscribes ON topic_choices (workspace, email, topic) WHERE choice = 'unsubscribed';
