import type { Ctx } from "../../../platform/context.ts";
import { repeatObjectCall } from "../../../platform/db/repeat-object-call.ts";
import {
  type ContentDocument,
  type ContentPlace,
  contentPlace,
  readContent,
  type StoredDocument,
  toContent,
} from "./documents.ts";

/** Bytes of one read: about 25 documents of 10 KB. */
const RANGE_BYTES = 262_144;
/** Bytes between two documents of a range, for example of an attachment, that are read and not used. */
const MAX_GAP_BYTES = 16_384;

/** An email whose content is read. */
export interface EmailContent {
  workspaceId: string;
  contentLocation: Parameters<typeof readContent>[2];
}

/**
 * Reads the contents of emails. Documents that lie side by side in one R2 object, as those of a batch do, are read by one
 * range, which is kept until each of these emails has asked for its own.
 */
export class ContentRanges {
  readonly #ctx: Ctx;
  #planned: readonly EmailContent[] = [];
  /** Positions in `#planned`, by the id of the email. */
  #positions: ReadonlyMap<string, number> = new Map();
  /** The range that contains a document, by the id of the email. */
  readonly #ranges = new Map<string, Promise<Range | null>>();

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  /** Sets the emails that will be read, in about this order. */
  plan(emails: readonly EmailContent[]): void {
    this.#planned = emails;
    this.#positions = new Map(emails.map(({ contentLocation }, index) => [contentLocation.id, index]));
  }

  /** Returns the content of an email, or null when there is none. */
  async read(email: EmailContent): Promise<ContentDocument | null> {
    const { workspaceId, contentLocation: location } = email;
    if (location.content !== null || location.contentKey === null || location.variables !== null)
      return readContent(this.#ctx, workspaceId, location);
    const range = await (this.#ranges.get(location.id) ?? this.#readRange(email)).finally(() =>
      this.#ranges.delete(location.id),
    );
    if (range === null) return null;
    const place = contentPlace(workspaceId, location);
    return toContent(this.#ctx, place.key, JSON.parse(textAt(range, place)) as StoredDocument);
  }

  #readRange(email: EmailContent): Promise<Range | null> {
    const emails = this.#neighbours(email);
    const { key, offset } = placeOf(email);
    const last = placeOf(emails.at(-1) ?? email);
    const range = readRange(this.#ctx, { key, offset, size: last.offset + last.size - offset });
    for (const { contentLocation } of emails) {
      this.#ranges.set(contentLocation.id, range);
      // The others read again: a failure of R2 defers only the emails that wait for this read.
      range.catch(() => this.#ranges.delete(contentLocation.id));
    }
    return range;
  }

  /** Returns the planned emails after this one whose documents follow in the same object. */
  #neighbours(email: EmailContent): EmailContent[] {
    const first = placeOf(email);
    const emails: EmailContent[] = [];
    let end = first.offset + first.size;
    for (let at = this.#positions.get(email.contentLocation.id) ?? this.#planned.length; ; ) {
      const next = this.#planned[++at];
      if (!next || next.contentLocation.content !== null) return emails;
      const { key, offset, size } = placeOf(next);
      const isNear = offset >= end && offset - end <= MAX_GAP_BYTES && offset + size - first.offset <= RANGE_BYTES;
      if (key !== first.key || !isNear) return emails;
      emails.push(next);
      end = offset + size;
    }
  }
}

/** Bytes of an R2 object, from `offset` on. */
interface Range {
  offset: number;
  bytes: Uint8Array;
}

const decoder = new TextDecoder();

const placeOf = ({ workspaceId, contentLocation }: EmailContent) => contentPlace(workspaceId, contentLocation);

const textAt = ({ offset, bytes }: Range, place: ContentPlace) =>
  decoder.decode(bytes.subarray(place.offset - offset, place.offset - offset + place.size));

async function readRange(ctx: Ctx, { key, offset, size }: ContentPlace): Promise<Range | null> {
  return repeatObjectCall(async () => {
    const object = await ctx.env.CONTENT.get(key, { range: { offset, length: size } });
    return object && { offset, bytes: new Uint8Array(await object.arrayBuffer()) };
  });
}
