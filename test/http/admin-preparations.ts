import { recordDeadLetters } from "../../src/outbox/index.ts";
import { database } from "../support/databases.ts";
import { testContext } from "../support/workspace.ts";

/** The dead letter and the host of the examples. */
const LETTER = "4f2f6b1c9d";
const HOST = "phishing.example.net";

async function letter() {
  await database.prepare("DELETE FROM dead_letters WHERE id = ?1").bind(LETTER).run();
  const body = JSON.stringify({ type: "outbox.wake.v2", database: "main", rows: [] });
  await recordDeadLetters(testContext(), "work-dead", [{ id: LETTER, body }]);
  return { letter_id: LETTER };
}

async function host() {
  const insert = database.prepare("INSERT OR IGNORE INTO blocked_hosts (host, created_at) VALUES (?1, ?2)");
  await insert.bind(HOST, Date.now()).run();
  return { host: HOST };
}

/** Functions that create what the operations of platform administrators name, by operation id. */
export const adminPreparations: Record<string, () => Promise<Record<string, string>>> = {
  listOutboxRows: async () => ({ database: "main" }),
  listDeadLetters: letter,
  retryDeadLetter: letter,
  deleteDeadLetter: letter,
  listBlockedHosts: host,
  addBlockedHost: async () => ({ host: HOST }),
  removeBlockedHost: host,
};
