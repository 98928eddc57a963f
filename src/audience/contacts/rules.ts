import { UNPRINTABLE } from "../../lib/text-rules.ts";

/** Limits of contact lists and contacts (docs/contract/limits.md#counts). */
export const limits = {
  nameCharacters: 200,
  descriptionCharacters: 2_000,
  iconSeedCharacters: 200,
  /** JSON of the metadata of one contact, in bytes. */
  metadataBytes: 65_536,
} as const;

/** Limits of an export. A page is what is read at a time: rows, and bytes of metadata. */
export const exportLimits = { keys: 2_000, rowsPerPage: 1_000, metadataPerPage: 2_000_000 } as const;

/** Returns whether a text, before trimming, has no control characters and no line breaks. */
export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text);

export interface ChangedFields {
  name?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Returns parameters of an UPDATE: whether name and metadata change, and their values. null clears a field. */
export function changeParameters({ name, metadata }: ChangedFields): unknown[] {
  return [
    name === undefined ? 0 : 1,
    name ?? null,
    metadata === undefined ? 0 : 1,
    metadata ? JSON.stringify(metadata) : null,
  ];
}
