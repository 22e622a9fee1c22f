import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineFormat, type FormatSource } from '../../src/capability/formats/format.js';
import { FORMATS, type Format } from '../../src/capability/formats/index.js';
import { SHADOW_TRANSFORMS } from '../../src/capability/shadow-transforms.js';

function keyOf(format: Format, text: string): string | number | null {
  const { order } = format;
  if (typeof order === 'string') throw new Error('The format has no key.');
  return order.of(text);
}

/** The order of a database: by octets. */
const compareTexts = (a: unknown, b: unknown): number =>
  Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));

const decimals = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.nat(12))
  .map(([isNegative, digits, places]) => {
    const all = String(digits).padStart(places + 1, '0');
    const whole = all.slice(0, all.length - places);
    const text = places === 0 ? whole : `${whole}.${all.slice(all.length - places)}`;
    return { text: isNegative ? `-${text}` : text, digits: isNegative ? -digits : digits, places };
  });

describe('decimal', () => {
  it('sorts by its key as by its number', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const [left, right] = [
          a.digits * 10n ** BigInt(b.places),
          b.digits * 10n ** BigInt(a.places),
        ];
        const order = compareTexts(keyOf(FORMATS.decimal, a.text), keyOf(FORMATS.decimal, b.text));
        expect(order).toBe(left < right ? -1 : Number(left > right));
      }),
      { numRuns: 2000 },
    );
  });

  it('has one canonical form for a number, which says the same number', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const [left, right] = [
          FORMATS.decimal.canonical?.(a.text),
          FORMATS.decimal.canonical?.(b.text),
        ];
        const isSame = keyOf(FORMATS.decimal, a.text) === keyOf(FORMATS.decimal, b.text);
        expect(left === right).toBe(isSame);
        expect(keyOf(FORMATS.decimal, left ?? '')).toBe(keyOf(FORMATS.decimal, a.text));
      }),
    );
  });

  it.each([
    ['0', '-0'],
    ['0', '-0.000'],
    ['1.5', '01.50'],
    ['0.5', '00.5'],
    ['100', '100.0'],
  ])('stores %s for %s', (stored, text) => {
    expect(FORMATS.decimal.canonical?.(text)).toBe(stored);
  });
});

describe('duration', () => {
  const inOrder = [
    ...['-P1W', '-P6D', '-PT24H', '-PT0.25S', '-PT0.05S', 'PT0S', 'PT0.05S', 'PT0.25S', 'PT1S'],
    ...['PT59M', 'PT1H0M0.5S', 'PT100M', 'P1D', 'P1DT1S', 'P6D', 'P1W', 'P1W1D', 'P9999999999W'],
  ];

  it('sorts by its key as by its length', () => {
    const keys = inOrder.map((text) => keyOf(FORMATS['signed-duration'], text));
    expect([...keys].sort(compareTexts)).toEqual(keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each([
    ['PT60M', 'PT1H'],
    ['P7D', 'P1W'],
    ['PT24H', 'P1D'],
    ['PT0S', '-P0D'],
    ['+PT1S', 'PT1S'],
  ])('has %s and %s in one place', (one, other) => {
    const format = FORMATS['signed-duration'];
    expect(keyOf(format, one)).toBe(keyOf(format, other));
  });
});

describe('a shadow column', () => {
  it('has the least value for a text from before its format', () => {
    for (const [name, { make }] of Object.entries(SHADOW_TRANSFORMS)) {
      if (name === 'fold' || name === 'casemap') continue;
      expect(make('none')).toBe(name === 'instant' ? Number.MIN_SAFE_INTEGER : '');
    }
  });
});

describe('a new format', () => {
  const whole: FormatSource<'string', never> = { ...FORMATS.uuid };

  it('does not compile without any of its members', () => {
    const { order: _order, ...withoutOrder } = whole;
    const { canonical: _canonical, ...withoutForm } = whole;
    const { legal: _legal, ...withoutSamples } = whole;
    const { message: _message, ...withoutWords } = whole;
    const { numbered: _numbered, ...withoutValues } = whole;
    expect(() => {
      // @ts-expect-error it has no order
      defineFormat(withoutOrder);
      // @ts-expect-error it doesn't say whether a text has another stored form
      defineFormat(withoutForm);
      // @ts-expect-error it has no samples
      defineFormat(withoutSamples);
      // @ts-expect-error it has no words
      defineFormat(withoutWords);
      // @ts-expect-error the runner can't draw values of it
      defineFormat(withoutValues);
      // @ts-expect-error a key needs its kind of column
      defineFormat({ ...whole, order: { name: 'some', of: (text) => text, isEquality: false } });
    }).not.toThrow();
    expect(defineFormat(whole).isCanonical('F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6')).toBe(false);
  });
});
