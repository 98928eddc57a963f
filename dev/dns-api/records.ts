import * as z from "zod";

/** The body of a request that writes a record. */
export const NewRecord = z.object({
  type: z.enum(["TXT", "MX", "CNAME", "A", "AAAA"]),
  name: z.string().min(1).max(253),
  content: z.string().min(1).max(4_096),
  ttl: z.number().int(),
  proxied: z.boolean().default(false),
  priority: z.number().int().min(0).max(65_535).optional(),
  comment: z.string().max(100).optional(),
});

/** A record of a zone as the API lists it. */
export type Stored = z.output<typeof NewRecord> & { id: string };

/** A zone of the stand-in. */
export interface StoredZone {
  id: string;
  name: string;
  maxRecords: number;
  records: Stored[];
}
