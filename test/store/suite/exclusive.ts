import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../src/protocol/errors.js';
import type { StateChange, Transaction } from '../../../src/store/port.js';
import { ALL, Gadget, gadget } from '../gadget.js';
import { A, type Bench, idOf } from './bench.js';

const created = (objectId: string) => ({ objectId, kind: 'created' as const });

export function exclusiveCases(bench: Bench): void {
  const { all, insert } = bench;

  const exclusively = <T>(
    work: (transaction: Transaction) => Promise<T>,
    wait = 20_000,
  ): Promise<T> => {
    const deadline = performance.now() + wait;
    return bench.store.write(A, { deadline, exclusive: true }, work);
  };

  describe('exclusive works', () => {
    it('may take turns of the event loop, and are announced after the commit', async () => {
      const heard: StateChange[] = [];
      bench.store.onCommit((change) => heard.push(change));
      const result = await exclusively(async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget('r1')]);
        await sleep(20);
        await transaction.record(Gadget, [created('r1')]);
        await sleep(20);
        expect(heard).toEqual([]);
        return transaction.count(Gadget, ALL);
      });
      expect(result).toBe(1);
      expect(heard).toEqual([{ accountId: A, changed: { Gadget: '1' } }]);
      expect((await all()).map(idOf)).toEqual(['r1']);
    });

    it('share their transaction with nobody', async () => {
      const works = [
        exclusively(async (transaction) => {
          await transaction.writeRows('insert', Gadget, [gadget('r1')]);
          await sleep(20);
          throw new Error('mine alone');
        }),
        insert([gadget('r2')]),
        exclusively(async (transaction) => {
          await sleep(20);
          await transaction.writeRows('insert', Gadget, [gadget('r3')]);
        }),
      ];
      const results = await Promise.allSettled(works);
      expect(results.map((result) => result.status)).toEqual([
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect((await all()).map(idOf)).toEqual(['r2', 'r3']);
    });

    it('may have more time than a timer can wait', async () => {
      const wait = 30 * 24 * 3600 * 1000;
      await exclusively(async (transaction) => {
        await sleep(5);
        await transaction.writeRows('insert', Gadget, [gadget('r1')]);
      }, wait);
      expect((await all()).map(idOf)).toEqual(['r1']);
    });

    it('are undone and revoked at their deadline, even where they never end', async () => {
      let escaped: Transaction | undefined;
      const hanging = exclusively(async (transaction) => {
        escaped = transaction;
        await transaction.writeRows('insert', Gadget, [gadget('r1')]);
        await new Promise(() => undefined);
      }, 1000);
      await expect(hanging).rejects.toBeInstanceOf(UnavailableError);
      await expect(escaped?.writeRows('insert', Gadget, [gadget('r2')])).rejects.toThrow(
        'after its work',
      );
      await insert([gadget('r3')]);
      await expect(escaped?.count(Gadget, ALL)).rejects.toThrow('after its work');
      expect((await all()).map(idOf)).toEqual(['r3']);
    });

    it('fail where an operation failed, even where the work caught its error', async () => {
      await insert([gadget('r1')]);
      const stubborn = exclusively(async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget('r2')]);
        await transaction.writeRows('insert', Gadget, [gadget('r1')]).catch(() => 'caught');
        return 'done';
      });
      await expect(stubborn).rejects.toThrow();
      expect((await all()).map(idOf)).toEqual(['r1']);
    });
  });
}
