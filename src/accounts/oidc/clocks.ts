/** The two clocks of a process. */
export interface Clocks {
  /** Epoch ms, as tokens and stored records have it. Somebody may set it back. */
  readonly wall: () => number;
  /** ms that have passed since some moment, whatever becomes of the wall clock. */
  readonly passed: () => number;
}

export const SYSTEM_CLOCKS: Clocks = { wall: Date.now, passed: () => performance.now() };
