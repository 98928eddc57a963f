import { noteAccepted, type Pace } from "./pace.ts";
import type { PaceLimits } from "./receivers/types.ts";

/**
 * Notes an accepted message. Until a receiver first slows down, the window grows by one with each, so that it doubles with each
 * round (RFC 5681 3.1): of a receiver that takes a second for a message, most of the rate is used after some seconds. Pure.
 */
export function noteAcceptedFast(pace: Pace, limits: PaceLimits): Pace {
  const isStarting = !pace.isProbing && pace.slowedAt === 0 && pace.pauseMs === 0;
  if (!isStarting) return noteAccepted(pace, limits);
  return { ...pace, accepted: 0, window: Math.min(pace.window + 1, limits.connections) };
}
