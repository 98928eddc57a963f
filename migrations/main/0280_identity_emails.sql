-- The verified address of the account when it was linked, by which its user recognizes it. NULL: linked before this.
ALTER TABLE identities ADD COLUMN email TEXT;
