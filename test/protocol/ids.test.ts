import { describe, expect, it } from 'vitest';
import { createIdGenerator, isId } from '../../src/protocol/ids.js';
import { timeOfId } from '../support/time-of-id.js';

describe('RFC 8620 1.2: the Id data type', () => {
  it('takes the URL-safe base64 alphabet and 1 to 255 octets', () => {
    for (const id of ['a', 'A-z_09', '-', 'NIL', '__proto__', 'x'.repeat(255)]) {
      expect(isId(id), id).toBe(true);
    }
  });

  it('refuses any other character and length', () => {
    for (const id of ['', 'x'.repeat(256), 'a b', 'a=', 'a/b', 'é', 'a\n', '#k', 'a.b', '\u0000']) {
      expect(isId(id), JSON.stringify(id)).toBe(false);
    }
  });
});

describe('ids that the server makes', () => {
  it('start with the prefix, are Ids of at most 64 octets, in one letter case', () => {
    const { id } = createIdGenerator().next('r');
    expect(id).toMatch(/^r[0-9a-hjkmnp-tv-z]{26}$/);
    expect(isId(id)).toBe(true);
  });

  it('embed their time, which can be read back', () => {
    for (const time of [0, 1, 1_700_000_000_123, 2 ** 48 - 1]) {
      const made = createIdGenerator({ now: () => time }).next('b');
      expect(made.time).toBe(time);
      expect(timeOfId(made.id)).toBe(time);
    }
  });

  it('sort by time', () => {
    let time = 999;
    const ids = createIdGenerator({ now: () => time });
    const made = Array.from({ length: 500 }, () => {
      time *= 1.05;
      return ids.next('r').id;
    });
    expect(made.toSorted()).toEqual(made);
  });

  it('ascend strictly within one millisecond', () => {
    const ids = createIdGenerator({ now: () => 5 });
    const made = Array.from({ length: 20_000 }, () => ids.next('r').id);
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('ascend strictly when the clock steps back, and keep the last time until then', () => {
    const times = [1000, 400, 999, 1000, 1001];
    const ids = createIdGenerator({ now: () => times.shift() ?? 0 });
    const made = Array.from({ length: 5 }, () => ids.next('r'));
    expect(made.map(({ time }) => time)).toEqual([1000, 1000, 1000, 1000, 1001]);
    const texts = made.map(({ id }) => id);
    expect(texts.toSorted()).toEqual(texts);
    expect(new Set(texts).size).toBe(5);
  });

  it('differ between generators at the same time', () => {
    const made = Array.from({ length: 50 }, () => createIdGenerator({ now: () => 7 }).next('r').id);
    expect(new Set(made).size).toBe(50);
  });

  it('does not let a neighbour be guessed: steps within a millisecond are random', () => {
    const ids = createIdGenerator({ now: () => 7 });
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
    const low = Array.from({ length: 20 }, () =>
      Array.from(ids.next('r').id.slice(-8)).reduce(
        (value, digit) => value * 32 + alphabet.indexOf(digit),
        0,
      ),
    );
    const steps = low.slice(1).map((value, index) => value - (low[index] ?? 0));
    expect(new Set(steps).size).toBeGreaterThan(5);
  });
});
