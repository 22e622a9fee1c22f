import { describe, expect, it } from 'vitest';
import { MethodError, UnavailableError } from '../../../src/protocol/errors.js';
import type { CallOptions, Transaction } from '../../../src/store/port.js';
import { ALL, condition, Gadget, gadget, gadgets, plan, queryIds } from '../gadget.js';
import { A, type Bench, idOf } from './bench.js';

export function transactionCases(bench: Bench): void {
  const { read, write, insert, all } = bench;

  describe('transactions', () => {
    it('see their own changes, and leave nothing where the work throws', async () => {
      const failing = write(async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget('r1')]);
        expect(await transaction.count(Gadget, ALL)).toBe(1);
        throw new MethodError('stateMismatch', 'no');
      });
      await expect(failing).rejects.toMatchObject({ type: 'stateMismatch' });
      expect(await all()).toEqual([]);
    });

    it('that run together fail each by itself', async () => {
      const works = Array.from({ length: 10 }, (_, index) =>
        write(async (transaction) => {
          await transaction.writeRows('insert', Gadget, [gadget(`r${index}`)]);
          if (index % 3 === 0) throw new Error(`no ${index}`);
          return index;
        }),
      );
      const results = await Promise.allSettled(works);
      expect(results.map((result) => result.status === 'fulfilled')).toEqual(
        results.map((_, index) => index % 3 !== 0),
      );
      expect((await all()).map(idOf)).toEqual(['r1', 'r2', 'r4', 'r5', 'r7', 'r8']);
    });

    it('fail by a broken constraint alone', async () => {
      await insert([gadget('r1')]);
      const works = [insert([gadget('r2')]), insert([gadget('r1')]), insert([gadget('r3')])];
      const results = await Promise.allSettled(works);
      expect(results.map((result) => result.status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect((await all()).map(idOf)).toEqual(['r1', 'r2', 'r3']);
    });

    it('fail where an operation failed, even where the work caught its error', async () => {
      await insert([gadget('r1')]);
      const stubborn = write(async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget('r2')]);
        await transaction.writeRows('insert', Gadget, [gadget('r1')]).catch(() => 'caught');
        return 'done';
      });
      await expect(stubborn).rejects.toThrow();
      expect((await all()).map(idOf)).toEqual(['r1']);
    });

    it('refuse operations after their end', async () => {
      let escaped: Transaction | undefined;
      await write(async (transaction) => {
        escaped = transaction;
      });
      await expect(escaped?.writeRows('insert', Gadget, [gadget('r1')])).rejects.toThrow(
        'after its work',
      );
      expect(await all()).toEqual([]);
    });

    it('RFC 8620 5.1: a read sees one snapshot while others write', async () => {
      await insert([gadget('r1')]);
      let writing: Promise<void> | undefined;
      const [before, after] = await read(async (snapshot) => {
        const first = await snapshot.count(Gadget, ALL);
        writing = insert([gadget('r2')]);
        return [first, await snapshot.count(Gadget, ALL)];
      });
      await writing;
      expect([before, after]).toEqual([1, 1]);
      expect(await all()).toHaveLength(2);
    });

    it('a call after its deadline is unavailable and does nothing', async () => {
      const late: CallOptions = { deadline: performance.now() - 1 };
      const writing = bench.store.write(A, late, (t) =>
        t.writeRows('insert', Gadget, [gadget('r1')]),
      );
      await expect(writing).rejects.toBeInstanceOf(UnavailableError);
      const reading = bench.store.read(A, late, (s) => s.count(Gadget, ALL));
      await expect(reading).rejects.toBeInstanceOf(UnavailableError);
      expect(await all()).toEqual([]);
    });

    it('a work is given up between two operations, and nothing of it stays', async () => {
      const options = bench.soon();
      const short: CallOptions = { deadline: performance.now() + 100 };
      const passed = (): void => {
        while (performance.now() <= short.deadline);
      };
      const writing = bench.store.write(A, short, async (transaction) => {
        await transaction.writeRows('insert', Gadget, [gadget('r1')]);
        passed();
        await transaction.destroy(Gadget, ['none']).catch(() => 'caught');
      });
      await expect(writing).rejects.toBeInstanceOf(UnavailableError);
      const reading = bench.store.read(
        A,
        { deadline: performance.now() + 100 },
        async (snapshot) => {
          const end = performance.now() + 101;
          while (performance.now() <= end);
          return snapshot.stateNumber(Gadget);
        },
      );
      await expect(reading).rejects.toBeInstanceOf(UnavailableError);
      const count = bench.store.read(A, options, (snapshot) => snapshot.count(Gadget, ALL));
      expect(await count).toBe(0);
    });

    it('a scan is stopped at its deadline', async () => {
      await insert(gadgets(3000, (index) => ({ title: `text ${index}` })));
      const query = plan(condition('title', 'zzz'), '-title');
      const reading = bench.store.read(A, { deadline: performance.now() + 200 }, async (s) => {
        for (let round = 0; round < 10_000; round += 1) await queryIds(s, Gadget, query, 0, 10);
      });
      await expect(reading).rejects.toBeInstanceOf(UnavailableError);
      expect(await all()).toHaveLength(3000);
    });
  });

  for (const exclusive of [false, true]) {
    it(`refuse to write to a deleted account (exclusive: ${exclusive})`, async () => {
      const writing = bench.store.write('gone', { ...bench.soon(), exclusive }, (transaction) =>
        transaction.writeRows('insert', Gadget, [gadget('r1')]),
      );
      await expect(writing).rejects.toMatchObject({ type: 'accountNotFound' });
      const count = bench.read((snapshot) => snapshot.count(Gadget, ALL), 'gone');
      expect(await count).toBe(0);
    });
  }

  it('answers a ping', async () => {
    await expect(bench.store.ping()).resolves.toBeUndefined();
  });
}
