import { DKIM_PURPOSE } from "../../domains/domains/index.ts";
import { TOTP_PURPOSE } from "../../identity/sign-ins/index.ts";
import { SLACK_PURPOSE } from "../../notices/notification-channels/index.ts";
import { WEBHOOK_PURPOSE } from "../../notices/webhooks/index.ts";
import { ERASED_ADDRESSES_PURPOSE } from "../../platform/erased-addresses/key.ts";

/** A column of the main database with values that secret-box.ts has encrypted. */
export interface SealedColumn {
  table: string;
  column: string;
  /** Unique text of each row, with an index. It is the context of the encryption. */
  key: string;
  purpose: string;
}

/** Every encrypted column. A test compares the list with the calls of `seal`. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "dkim_keys", column: "private_key", key: "id", purpose: DKIM_PURPOSE },
  { table: "domain_transfer_keys", column: "private_key", key: "id", purpose: DKIM_PURPOSE },
  { table: "service_keys", column: "secret", key: "name", purpose: ERASED_ADDRESSES_PURPOSE },
  { table: "user_totp", column: "secret", key: "user_id", purpose: TOTP_PURPOSE },
  { table: "forwarding_rules", column: "secret", key: "id", purpose: WEBHOOK_PURPOSE },
  { table: "webhooks", column: "secret", key: "id", purpose: WEBHOOK_PURPOSE },
  { table: "webhooks", column: "previous_secret", key: "id", purpose: WEBHOOK_PURPOSE },
  { table: "workspaces", column: "slack_webhook_url", key: "id", purpose: SLACK_PURPOSE },
];
