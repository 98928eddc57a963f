import { missingIn, type Prepared, readRecord, statementsOf, toRecord, unpreparedPlaces } from "./record.ts";

/**
 * Returns true when the record has all SQL that the tests have prepared and, with `isWhole`, they reached each place of the source
 * that makes SQL. Prints what is missing.
 */
export function checkStatements({ statements, places }: Prepared, isWhole: boolean): boolean {
  const record = readRecord();
  const missing = missingIn(record, statements);
  for (const { kind, place, sql } of missing) console.error(`${place}, on ${kind}: ${sql}`);
  if (missing.length > 0) console.error("FAILED  statements: the record lacks these. Run: npm run record:sql");
  if (!isWhole) return missing.length === 0;
  const stale = missingIn(toRecord(statements), statementsOf(record)).length;
  if (stale > 0) console.log(`${stale} recorded statements were not prepared. To remove them: npm run record:sql`);
  const unprepared = unpreparedPlaces(places);
  if (unprepared.length > 0) console.error(`FAILED  statements: no test prepares\n${unprepared.join("\n")}`);
  return missing.length === 0 && unprepared.length === 0;
}
