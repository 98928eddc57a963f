/** By how much the clock of the local service is ahead, in ms. dev/worker/serve.ts defines it. */
declare const CLOCK_OFFSET_MS: number;

const RealDate = Date;

/** A Date whose present is CLOCK_OFFSET_MS ahead. Other times are as they are. */
class ShiftedDate extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [ShiftedDate.now()] : args) as [number]));
  }

  static override now(): number {
    return RealDate.now() + CLOCK_OFFSET_MS;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
