import { concat } from "../../../lib/bytes.ts";
import type { Scrubber } from "./scrub.ts";

/** A range of an object that is overwritten: with spaces, with other bytes of the same size, or with the address masked in it. */
export interface Patch {
  at: number;
  size: number;
  with: "spaces" | "mask" | Uint8Array;
}

const SPACE = 0x20;

/**
 * Returns a transform that overwrites ranges of an object as it streams through. They must not overlap. Its memory: a chunk, and the
 * longest form of the address.
 */
export function overwriting(patches: readonly Patch[], scrubber: Scrubber): TransformStream<Uint8Array, Uint8Array> {
  const sorted = patches.toSorted((a, b) => a.at - b.at);
  let held = new Uint8Array();
  let position = 0;
  /** Overwrites `held`, passes what no later byte can change, and holds the rest. */
  const pass = (controller: TransformStreamDefaultController<Uint8Array>, isEnd: boolean) => {
    while (sorted[0] && sorted[0].at + sorted[0].size <= position) sorted.shift();
    // An address that begins in these bytes is whole in `held`.
    const size = isEnd ? held.byteLength : Math.max(0, held.byteLength - scrubber.maxBytes);
    for (const patch of sorted) {
      if (patch.at >= position + held.byteLength) break;
      overwrite(held, position, patch, scrubber);
    }
    if (size === 0) return;
    controller.enqueue(held.slice(0, size));
    held = held.slice(size);
    position += size;
  };
  return new TransformStream({
    transform(chunk, controller) {
      held = concat([held, chunk]);
      pass(controller, false);
    },
    flush: (controller) => pass(controller, true),
  });
}

/** Applies a patch to the part of an object that begins at `position`. Safe to repeat on the same bytes. */
function overwrite(bytes: Uint8Array, position: number, { at, size, with: content }: Patch, scrubber: Scrubber): void {
  const start = Math.max(at - position, 0);
  const end = Math.min(at + size - position, bytes.byteLength);
  if (content === "spaces") bytes.fill(SPACE, start, end);
  else if (content === "mask") bytes.set(scrubber.maskBytes(bytes.subarray(start, end)), start);
  else bytes.set(content.subarray(start + position - at, end + position - at), start);
}
