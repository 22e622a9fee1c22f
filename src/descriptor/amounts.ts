import type { QuotaLevel, QuotaResource } from '../capability/quota-definition.js';
import type { JsonValue } from '../protocol/json.js';

/** Units of octets, as a descriptor writes them behind a number. */
const UNITS: Readonly<Record<string, number>> = Object.freeze({
  ...{ B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 },
});

export const UNIT_NAMES: readonly string[] = Object.keys(UNITS);

const WITH_UNIT = /^(\d{1,15}(?:\.\d{1,3})?) ?([A-Za-z]+)$/;
const PERCENT = /^([1-9]\d?)%$/;

/** Returns an amount: a whole number from 1 on, or octets such as `5GB`. Undefined for others. */
export function readAmount(value: JsonValue, resource: QuotaResource): number | undefined {
  if (typeof value === 'number') return isAmount(value) ? value : undefined;
  if (resource !== 'octets' || typeof value !== 'string') return undefined;
  const [, number = '', unit = ''] = WITH_UNIT.exec(value) ?? [];
  if (!Object.hasOwn(UNITS, unit)) return undefined;
  const amount = Math.round(Number(number) * (UNITS[unit] ?? 0));
  return isAmount(amount) ? amount : undefined;
}

/** Returns a level: an amount, or a share of the limit such as `80%`. Undefined for others. */
export function readLevel(value: JsonValue, resource: QuotaResource): QuotaLevel | undefined {
  const percent = typeof value === 'string' ? PERCENT.exec(value)?.[1] : undefined;
  return percent === undefined ? readAmount(value, resource) : { percent: Number(percent) };
}

function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
