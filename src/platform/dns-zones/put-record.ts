import { ZoneError, type ZonePort, type ZoneRecord, type ZoneRecordType } from "./zones.ts";

/**
 * Makes a record the only one of its name and type, whatever is there. Safe to run twice, and after a call of which the result is
 * unknown. At most 3 calls when the name has none or one. Throws ZoneError.
 */
export async function putRecord(zone: ZonePort, record: ZoneRecord): Promise<void> {
  const found = await zone.list(record.name, record.type);
  const equal = found.find((stored) => isEqual(stored, record));
  const kept = equal ?? found[0];
  if (!kept) return createOrUpdate(zone, record);
  // The others go first: of two keys at one selector a receiver may take either (RFC 6376 3.6.2.2).
  for (const { id } of found.filter((stored) => stored !== kept)) await zone.delete(id);
  if (!equal) await zone.update(kept.id, record);
}

async function createOrUpdate(zone: ZonePort, record: ZoneRecord): Promise<void> {
  try {
    await zone.create(record);
  } catch (error) {
    if (!(error instanceof ZoneError) || error.kind !== "exists") throw error;
    // Another run has created it since the list was read.
    const found = await zone.list(record.name, record.type);
    if (!found.some((stored) => isEqual(stored, record))) throw error;
  }
}

/** Deletes all records of a name and type. Safe to run twice. */
export async function deleteRecords(zone: ZonePort, name: string, type: ZoneRecordType): Promise<void> {
  for (const { id } of await zone.list(name, type)) await zone.delete(id);
}

const isEqual = (a: ZoneRecord, b: ZoneRecord) =>
  a.value === b.value && a.priority === b.priority && (a.isProxied ?? false) === (b.isProxied ?? false);
