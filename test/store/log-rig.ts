import { statSync } from 'node:fs';
import type { CallOptions } from '../../src/store/port.js';
import { Gadget, gadgets } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

export const ACCOUNT = 'aone';
export const LIMIT = 1024 * 1024;
const TITLE = 'x'.repeat(3000);
const MODULE = new URL('./scan-thread.mjs', import.meta.url);

/** Pages of the log, and how many of them are in the database. */
interface Moved {
  readonly log: number;
  readonly checkpointed: number;
}

type Opened = Awaited<ReturnType<typeof openSqlite>>;

export const soon = (): CallOptions => ({ deadline: performance.now() + 20_000 });
export const hook = (): CallOptions => ({ ...soon(), exclusive: true });

/** A database whose log has a small limit, and how long its log has been. */
export class Log {
  readonly opened: Opened;
  longest = 0;
  written = 0;
  /** It has begun anew. */
  hasShrunk = false;

  private constructor(opened: Opened) {
    this.opened = opened;
  }

  static async open(threads: boolean): Promise<Log> {
    const scans = { module: MODULE, slice: -1, moment: -1, threads: 3 };
    const options = { now: Date.now, logLimit: LIMIT, ...(threads ? { scans } : {}) };
    const opened = await openSqlite(options);
    opened.writerDatabase.pragma('synchronous = OFF');
    return new Log(opened);
  }

  get length(): number {
    return statSync(`${this.opened.file}-wal`).size;
  }

  /** Returns how many pages are in the log and not in the database. */
  left(): number {
    const [of] = this.opened.writerDatabase.pragma('wal_checkpoint(NOOP)') as readonly Moved[];
    return of === undefined ? -1 : of.log - of.checkpointed;
  }

  async write(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      this.written += 1;
      const [object] = gadgets(1, () => ({ title: TITLE }));
      if (object === undefined) throw new Error('No object was made.');
      await this.opened.store.write(ACCOUNT, soon(), (transaction) =>
        transaction.writeRows('insert', Gadget, [{ ...object, id: `g${this.written}` }]),
      );
      this.hasShrunk ||= this.length < this.longest;
      this.longest = Math.max(this.longest, this.length);
    }
  }
}
