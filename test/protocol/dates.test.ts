import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalDate,
  formatUtcDate,
  isLocalDateTime,
  parseDate,
  parseUtcDate,
} from '../../src/protocol/dates.js';

describe('RFC 8620 1.4: a UTCDate is parsed', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2014-10-30T06:12:00Z', Date.UTC(2014, 9, 30, 6, 12)],
    ['2024-02-29T23:59:59.5Z', Date.UTC(2024, 1, 29, 23, 59, 59, 500)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['0000-01-01T00:00:00Z', -62_167_219_200_000],
    ['0099-12-31T00:00:00Z', Date.parse('0099-12-31T00:00:00Z')],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ])('%s', (text, ms) => {
    expect(parseUtcDate(text)).toBe(ms);
  });

  it('cuts digits beyond the millisecond, and never rounds them', () => {
    expect(parseUtcDate('1970-01-01T00:00:00.1239999999Z')).toBe(123);
    expect(parseUtcDate('1970-01-01T00:00:00.00099Z')).toBe(0);
  });

  it('takes a zero fraction and trailing zeros, which are written without', () => {
    expect(parseUtcDate('1970-01-01T00:00:00.000Z')).toBe(0);
    expect(parseUtcDate('1970-01-01T00:00:00.120Z')).toBe(120);
  });

  it.each([
    '',
    '2026-01-02',
    '2026-01-02t03:04:05z',
    '2026-01-02T03:04:05z',
    '2026-01-02 03:04:05Z',
    '2026-01-02T03:04:05',
    '2026-01-02T03:04:05+00:00',
    '2026-01-02T03:04:05-00:00',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:05Z',
    '2016-12-31T23:59:60Z',
    '2026-02-31T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05,5Z',
    '2026-1-2T03:04:05Z',
    '+02026-01-02T03:04:05Z',
    '12026-01-02T03:04:05Z',
    ' 2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05Z\n',
    '２０26-01-02T03:04:05Z',
  ])('refuses %j', (text) => {
    expect(parseUtcDate(text)).toBeNull();
  });
});

describe('RFC 8620 1.4: a UTCDate is written', () => {
  it('without a fraction when that is zero, else with the shortest', () => {
    expect(formatUtcDate(0)).toBe('1970-01-01T00:00:00Z');
    expect(formatUtcDate(100)).toBe('1970-01-01T00:00:00.1Z');
    expect(formatUtcDate(120)).toBe('1970-01-01T00:00:00.12Z');
    expect(formatUtcDate(123)).toBe('1970-01-01T00:00:00.123Z');
    expect(formatUtcDate(1)).toBe('1970-01-01T00:00:00.001Z');
    expect(formatUtcDate(1_000_000)).toBe('1970-01-01T00:16:40Z');
  });

  it('is the parsed text, for every millisecond of the years 0000 to 9999', () => {
    const time = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(time, (ms) => {
        const text = formatUtcDate(ms);
        expect(parseUtcDate(text)).toBe(ms);
        expect(text).not.toMatch(/\.\d*0Z$/);
      }),
    );
  });

  it('throws outside those years', () => {
    expect(() => formatUtcDate(253_402_300_800_000)).toThrow(RangeError);
    expect(() => formatUtcDate(-62_167_219_200_001)).toThrow(RangeError);
    expect(() => formatUtcDate(Number.NaN)).toThrow(RangeError);
  });
});

describe('RFC 8620 1.4: a Date with any offset', () => {
  it.each([
    ['2026-01-31T14:00:00+02:00', '2026-01-31T12:00:00Z'],
    ['2026-01-31T01:30:00.5-10:30', '2026-01-31T12:00:00.5Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
  ])('%s is the moment %s', (text, moment) => {
    expect(parseDate(text)).toBe(parseUtcDate(moment));
  });

  it.each(['2026-01-31T12:00:00', '2026-01-31T12:00:00+24:00', '2026-01-31t12:00:00+01:00', ''])(
    '%s is no Date',
    (text) => expect(parseDate(text)).toBeNull(),
  );

  it('keeps the offset and cuts the fraction', () => {
    expect(canonicalDate('2026-01-31T14:00:00.1209+02:00')).toBe('2026-01-31T14:00:00.12+02:00');
    expect(canonicalDate('2026-01-31T14:00:00.000Z')).toBe('2026-01-31T14:00:00Z');
  });
});

describe('RFC 8984 1.4.4: LocalDateTime', () => {
  it.each([
    ['2026-02-28T23:59:59', true],
    ['2026-02-28T23:59:59.003', true],
    ['2026-02-28T23:59:59.10', false],
    ['2026-02-29T00:00:00', false],
    ['2026-02-28T23:59:59Z', false],
    ['2026-01-01T00:00:00.123456789', true],
    ['2026-01-01T00:00:00.1234567891', false],
    [`2026-01-01T00:00:00.${'1'.repeat(100_000)}`, false],
  ])('%s: %s', (text, is) => expect(isLocalDateTime(text)).toBe(is));
});
