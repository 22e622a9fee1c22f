import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeTable } from '../../src/text/decode.js';
import { combiningRanks } from '../../src/text/tables/combining-ranks.js';

const COMMITTED = 'src/text/tables';
const made = mkdtempSync(join(tmpdir(), 'text-tables-'));

afterAll(() => rmSync(made, { recursive: true }));

describe('the tables of the carried Unicode version', () => {
  it('are those of scripts/make-text-tables.ts, byte for byte, in any locale', () => {
    execFileSync(
      process.execPath,
      ['--import', 'tsx', 'scripts/make-text-tables.ts', '--out', made],
      { env: { ...process.env, LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kolkata' } },
    );
    const names = readdirSync(COMMITTED).toSorted();
    expect(readdirSync(made).toSorted()).toEqual(names);
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) {
      expect(readFileSync(join(made, name)).equals(readFileSync(join(COMMITTED, name))), name).toBe(
        true,
      );
    }
  });

  it('are small', () => {
    const sizes = readdirSync(COMMITTED).map((name) => readFileSync(join(COMMITTED, name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  });

  it('rank marks as their canonical combining classes do', () => {
    const ranks = decodeTable(combiningRanks);
    // Classes 1, 7, 9, 202, 216, 220, 230 and 240 of the Unicode Character Database.
    const marks = [0x334, 0x93c, 0x94d, 0x327, 0x31b, 0x323, 0x301, 0x345];
    const order = marks.map((mark) => ranks.get(mark)?.[0] ?? 0);
    expect(order.toSorted((a, b) => a - b)).toEqual(order);
    expect(new Set(order).size).toBe(marks.length);
    expect(ranks.get(0x300)).toEqual(ranks.get(0x301));
    expect(ranks.get(0x61)).toBeUndefined();
  });
});

describe('an encoded table', () => {
  it('has distances of keys and values in base 36, and how often', () => {
    expect([...decodeTable('\na,z,10 1,-z\n2,zz,1,2*3\n')]).toEqual([
      [10, [35, 36]],
      [11, [0]],
      [13, [1295, 1, 2]],
      [15, [2590, 2, 4]],
      [17, [3885, 3, 6]],
    ]);
  });
});
