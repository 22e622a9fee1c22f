import { raw } from '../sql/fragment.js';

/**
 * True conditions that ask for the time now and then: to ask for each row would take longer than to
 * compare it. By chance it is one row in 256, which no data can keep from coming, takes nothing from the
 * row (an index alone will do), and 40 ns.
 */
export const TICK = raw('(random() < 9151314442816847872 OR jmap_tick())');

/** The same, where each row of the account is read for the filter anyway. */
export const TICK_OF_ROWS = raw('(random() & 255 <> 0 OR jmap_tick())');

/**
 * By the time that an object was created, which takes a third of that: a /set gives all its objects one
 * time, and another has another one. One time in 13, and of its rows one in 16.
 */
const BY_TIME = '("created" % 13 <> 0 OR random() & 15 <> 0 OR jmap_tick())';

/** How long after its deadline, ms, a statement may end that asked often enough. */
const LATE = 50;

/**
 * How a thread of scans asks for the time. Rows that were put in by SQL may all have one time of creation,
 * and then the time is hardly asked for: whoever waits for such a scan is answered at the deadline all the
 * same, but the thread is not free. So the first statement that ends late is the last one to ask by times.
 */
export class Ticks {
  #byTime: boolean;

  constructor(byTime: boolean) {
    this.#byTime = byTime;
  }

  /** What to run in place of a composed text. */
  textOf(text: string): string {
    return this.#byTime ? text.replaceAll(TICK_OF_ROWS.text, BY_TIME) : text;
  }

  /** A statement has ended so many milliseconds after its deadline; less than 0: before. */
  ended(late: number): void {
    if (late > LATE) this.#byTime = false;
  }
}
