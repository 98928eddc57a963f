-- A Worker of before 0175, which runs while a new one is deployed and after a roll-back, makes hosts without a mode: they begin in testing.
CREATE TRIGGER custom_host_first_mode AFTER INSERT ON custom_hosts WHEN NEW.purpose = 'mta_sts' AND NEW.policy_mode IS NULL BEGIN
  UPDATE custom_hosts SET policy_mode = 'testing', policy_since = NEW.created_at, policy_due_at = NEW.created_at + 1209600000
   WHERE name = NEW.name;
END;
UPDATE custom_hosts SET policy_mode = 'testing', policy_since = created_at, policy_due_at = created_at + 1209600000
 WHERE purpose = 'mta_sts' AND policy_mode IS NULL;
