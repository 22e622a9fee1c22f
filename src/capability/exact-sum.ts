import type { JsonValue } from '../protocol/json.js';
import { FORMATS } from './formats/index.js';

/** An exact number: `digits` without the point, of which `scale` stand behind it. */
export interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Exact = Object.freeze({ digits: 0n, scale: 0 });

/** Returns an integer or the text of a decimal as an exact number; anything else is 0. */
export function exactOf(value: JsonValue): Exact {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { digits: BigInt(value), scale: 0 } : ZERO;
  }
  if (typeof value !== 'string' || !FORMATS.decimal.isLegal(value)) return ZERO;
  const [whole = '', fraction = ''] = value.split('.');
  return { digits: BigInt(`${whole}${fraction}`), scale: fraction.length };
}

/** Returns the sum of two numbers, the second one taken `times` times. */
export function addExact(one: Exact, other: Exact, times = 1): Exact {
  const scale = Math.max(one.scale, other.scale);
  const digits = atScale(one, scale) + atScale(other, scale) * BigInt(times);
  return { digits, scale };
}

function atScale({ digits, scale }: Exact, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

/**
 * Returns the number as a property of the kind has it: an integer, or the text of a decimal. Null
 * where the property can't hold it.
 */
export function exactValue({ digits, scale }: Exact, kind: string): JsonValue | null {
  if (kind === 'integer') {
    const number = Number(digits / 10n ** BigInt(scale));
    return Number.isSafeInteger(number) ? number : null;
  }
  const sign = digits < 0n ? '-' : '';
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const at = all.length - scale;
  const text = scale === 0 ? `${sign}${all}` : `${sign}${all.slice(0, at)}.${all.slice(at)}`;
  const { isLegal, canonical } = FORMATS.decimal;
  return isLegal(text) ? (canonical?.(text) ?? text) : null;
}
