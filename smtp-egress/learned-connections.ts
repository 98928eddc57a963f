import type { PaceLimits } from "./receivers/types.ts";

/** After so many accepted messages one connection more is tried. */
const TRIED_AFTER_MESSAGES = 1_000;

/** The connections that a receiver has turned out to allow. */
export interface LearnedConnections {
  /** Infinity: it has asked for none below those of the table. */
  connections: number;
  /** Messages accepted since that last changed. */
  accepted: number;
}

/** Returns the connections of a receiver that has refused none. Pure, as are all functions here. */
export function newLearnedConnections(): LearnedConnections {
  return { connections: Number.POSITIVE_INFINITY, accepted: 0 };
}

/** Notes that a receiver has too many connections, with the number that it could have: one less is left. */
export function noteTooManyConnections(learned: LearnedConnections, connections: number): LearnedConnections {
  return { connections: Math.max(1, Math.min(learned.connections, connections) - 1), accepted: 0 };
}

/** Notes an accepted message. Once in a while one connection more is tried, up to those of the table. */
export function noteAcceptedConnections(learned: LearnedConnections, limits: PaceLimits): LearnedConnections {
  if (learned.accepted + 1 < TRIED_AFTER_MESSAGES) return { ...learned, accepted: learned.accepted + 1 };
  const connections = learned.connections + 1;
  return { connections: connections < limits.connections ? connections : Number.POSITIVE_INFINITY, accepted: 0 };
}
