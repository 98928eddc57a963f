import { DurableObject } from "cloudflare:workers";
import type { StoreStatement } from "../src/operations/backups/index.ts";

/** An object whose database a backup reads and a restore fills (src/operations/backups/stores.ts). */
export abstract class BackupObject extends DurableObject<Env> {
  protected get sql(): SqlStorage {
    return this.ctx.storage.sql;
  }

  /** Runs the statements of a backup or of a restore in one transaction. Returns the rows of each. Sets no alarm. */
  async runStatements(statements: readonly StoreStatement[]) {
    return this.ctx.storage.transactionSync(() =>
      statements.map(({ sql, values }) => this.sql.exec(sql, ...values).toArray()),
    );
  }
}
