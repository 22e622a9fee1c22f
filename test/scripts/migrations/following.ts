import { expect, it } from 'vitest';
import { beginReported } from './consequences.js';
import type { Evolving } from './evolving.js';
import type { Started } from './starting.js';

/** A database whose server goes on following the version before, until it is stopped. */
export interface Served extends Evolving {
  /** `pause`: how often it looks, ms. */
  serve(of: Started, pause?: number): Promise<{ stop(): Promise<void> }>;
}

const PAUSE = 20;
const PATIENCE = { timeout: 60_000 };

/** Functions that fail while clients are served. */
export function followsWhileServing(open: () => Promise<Served>): void {
  it('gives a function up after its time, and tries again', async () => {
    const { db, started, insertLine, counts } = await beginReported(open);
    const signals: AbortSignal[] = [];
    let isHanging = false;
    const first = async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      if (!isHanging) return;
      signals.push(signal);
      await new Promise(() => undefined);
    };
    const serving = await db.serve({ ...started(first), timeout: 100 }, PAUSE);
    try {
      isHanging = true;
      await insertLine('l1');
      await expect.poll(() => signals.length, PATIENCE).toBeGreaterThan(1);
      expect(signals[0]?.aborted).toBe(true);
      isHanging = false;
      await expect.poll(counts, PATIENCE).toEqual([{ lines: 1, report: 1 }]);
    } finally {
      await serving.stop();
    }
  });
}
