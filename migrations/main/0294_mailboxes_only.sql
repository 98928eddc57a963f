-- A member, or the person of an invitation, that sees only the mailboxes that it is assigned to. Owners and admins see all: 0.
ALTER TABLE memberships ADD COLUMN mailboxes_only INTEGER NOT NULL DEFAULT 0 CHECK (mailboxes_only IN (0, 1));
ALTER TABLE invitations ADD COLUMN mailboxes_only INTEGER NOT NULL DEFAULT 0 CHECK (mailboxes_only IN (0, 1));
