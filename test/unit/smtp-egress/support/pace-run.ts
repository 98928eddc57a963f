/** Sends to a receiver on a clock of its own, as ReceiverQueue does: with places in line, turns, connections and the outbox. */
import { ReceiverPace } from "../../../../smtp-egress/receiver-pace.ts";
import type { Receiver } from "../../../../smtp-egress/receivers/types.ts";
import { Room } from "../../../../smtp-egress/room.ts";
import { EventQueue } from "./event-queue.ts";
import type { LimitedReceiver } from "./limited-receivers.ts";
import { toReply } from "./replies.ts";

const MINUTE_MS = 60_000;
/** The waits of the egress and of the outbox, in ms. */
const HOLD_MS = 60_000;
const RETRY_MS = 300_000;
const TICK_MS = 1_000;
/** Emails that the Worker hands over in a tick. */
const HANDED_OVER = 200;

export interface PaceRun {
  receiver: LimitedReceiver;
  /** Of the table; without it the receiver has no entry. */
  limits?: Receiver["limits"];
  /** Time of a transaction, and of the whole run, in ms. */
  latencyMs: number;
  forMs: number;
  /** Emails in the outbox: one is added for each that was accepted. */
  emails: number;
}

export interface PaceResult {
  /** Attempts over the wire from the sixth minute on, and those of them that were refused. */
  attempts: number;
  refused: number;
  accepted: number;
  forMs: number;
  /** The rate at the end. */
  messagesPerMinute: number;
  /** Hand-overs for each accepted message. */
  handOvers: number;
}

/** Runs, and returns what a receiver saw after the first five minutes. */
export function runPace({ receiver, limits = {}, latencyMs, forMs, emails }: PaceRun): PaceResult {
  const start = Date.UTC(2026, 10, 23, 8, 17, 3);
  const known: Receiver = { name: "mx.test", label: "mx.test", mxSuffixes: [], limits, rules: [] };
  const pace = new ReceiverPace(known, null, () => {}, start);
  const room = new Room();
  const events = new EventQueue<"tick" | "advance" | { isAccepted: boolean; reply: string | null }>();
  const counts = { attempts: 0, refused: 0, accepted: 0, handOvers: 0 };
  /** Times at which places in memory are due, and at which emails come back. */
  const held: number[] = [];
  const away = new EventQueue<null>();
  let [waiting, running, advanceAt] = [emails, 0, 0];

  const advance = (now: number) => {
    for (let due = held[0]; due !== undefined; due = held[0]) {
      const pausedUntil = pace.pausedUntil(now);
      if (pace.connections(now) - running <= 0 && pausedUntil === null) return;
      const wait = Math.max(due, pausedUntil ?? 0) - now;
      const ms = wait > 0 ? wait : pace.takeTurn(now, 1_000);
      if (ms > 0) {
        if (advanceAt > now && now + ms >= advanceAt) return;
        advanceAt = now + Math.ceil(ms);
        events.add(advanceAt, "advance");
        return;
      }
      held.shift();
      running += 1;
      room.noteBegin(now);
      const reply = receiver(now, running);
      if (now - start >= 5 * MINUTE_MS) {
        counts.attempts += 1;
        if (reply === null) counts.accepted += 1;
        else counts.refused += 1;
      }
      events.add(now + (reply === null ? latencyMs : latencyMs / 2), { isAccepted: reply === null, reply });
    }
  };
  const returnLate = (now: number) => {
    const pauseMs = (pace.pausedUntil(now) ?? now) - now;
    const kept = pauseMs > HOLD_MS ? 0 : Math.ceil((pace.limits(now).messagesPerMinute * HOLD_MS * 1.2) / MINUTE_MS);
    const late = held.splice(Math.min(kept, room.kept(now)));
    if (late.length > 0) pace.leavePlaces(late.length, held.length);
    for (const _ of late) {
      const { ms } = pace.takePlace(now, { holdMs: 0, inMemory: kept });
      room.places -= 1;
      away.add(now + Math.max(ms, room.wait(now)), null);
    }
  };
  const handOver = (now: number) => {
    for (; (away.nextAt() ?? Infinity) <= now; waiting += 1) away.take();
    for (let n = 0; n < HANDED_OVER && waiting > 0; n++, waiting--) {
      counts.handOvers += 1;
      const isFree = room.isFree(now);
      const { ms, reason } = pace.takePlace(now, { holdMs: isFree ? HOLD_MS : 0, inMemory: room.places });
      if (ms > HOLD_MS || !isFree) {
        away.add(now + (ms > HOLD_MS ? ms : Math.max(ms, room.wait(now))), null);
        // The Worker hands over nothing more until the end of a pause.
        if (reason !== null) return;
        continue;
      }
      room.places += 1;
      const at = held.findLastIndex((due) => due <= now + ms) + 1;
      held.splice(at, 0, now + ms);
    }
  };

  events.add(start, "tick");
  for (let event = events.take(); event && event.at < start + forMs; event = events.take()) {
    const { at: now, value } = event;
    if (value === "tick") {
      returnLate(now);
      handOver(now);
      events.add(now + TICK_MS, "tick");
    } else if (value !== "advance") {
      running -= 1;
      room.places -= 1;
      room.noteEnd(true, now);
      if (value.reply === null) {
        pace.noteAccepted(1, now, 1_000);
        waiting += 1;
      } else {
        pace.noteRefusal(toReply(value.reply), now);
        away.add(now + RETRY_MS, null);
      }
      returnLate(now);
    }
    advance(now);
  }
  const { messagesPerMinute } = pace.limits(start + forMs);
  return { ...counts, handOvers: counts.handOvers / counts.accepted, forMs: forMs - 5 * MINUTE_MS, messagesPerMinute };
}
