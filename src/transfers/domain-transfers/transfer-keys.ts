import type { DkimKey } from "../../domains/domains/index.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { TransferKey } from "./queries.ts";

/** Returns new DKIM keys of a domain as those of a transfer. */
export const toTransferKeys = (transferId: string, keys: readonly DkimKey[]): TransferKey[] =>
  keys.map((key) => ({ ...key, transferId }));

const INSERT = `
  INSERT INTO domain_transfer_keys (id, transfer_id, domain_id, selector, algorithm, public_key, private_key, created_at)
  SELECT value->>'id', value->>'transferId', value->>'domainId', value->>'selector', value->>'algorithm',
    value->>'publicKey', value->>'privateKey', value->>'createdAt' FROM json_each(?1)`;

/** Returns the statement that stores the keys of a transfer. */
export const insertTransferKeysStatement = ({ db }: Pick<Ctx, "db">, keys: readonly TransferKey[]): MainStatement =>
  db.prepare(INSERT).bind(JSON.stringify(keys));

/** Returns the statement that deletes the keys of a transfer that does not complete. */
export const deleteTransferKeysStatement = ({ db }: Pick<Ctx, "db">, transferId: string): MainStatement =>
  db.prepare("DELETE FROM domain_transfer_keys WHERE transfer_id = ?1").bind(transferId);
