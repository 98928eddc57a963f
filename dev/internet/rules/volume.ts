import type { VolumeLimit } from "../behaviour.ts";

/** Bytes that came in a window, which is counted in lengths of a window since 1970. */
export interface Volume {
  window: number;
  bytes: number;
}

/** Counts a message of some bytes against a limit, at a time in ms. One that is refused counts nothing. Pure. */
export function takeBytes(
  volume: Volume | undefined,
  { bytes, seconds }: VolumeLimit,
  { size, now }: { size: number; now: number },
): { volume: Volume; isWithin: boolean } {
  const window = Math.floor(now / (seconds * 1_000));
  const before = volume?.window === window ? volume.bytes : 0;
  const isWithin = before + size <= bytes;
  return { volume: { window, bytes: isWithin ? before + size : before }, isWithin };
}
