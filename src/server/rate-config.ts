import { parseRateRules, RateFault, type RateRule } from '../runtime/rates/rate-rules.js';

/** The part of the reader of variables that this needs (config.ts). */
interface Variables {
  text(name: string): string | null;
  choice(name: string, fallback: string, legal: readonly string[]): string;
  refuse(name: string, legal: string, part?: string): never;
}

/** The rules by which requests are counted, and the place where. */
export interface RateConfig {
  readonly rules: readonly RateRule[];
  /** Nobody has chosen the rules: they count clients alone that an address tells apart. */
  readonly isDefault: boolean;
  readonly store: 'memory' | 'database';
}

/** No client that has a good token meets it. */
const DEFAULT = 'address:100/1m';

/** Reads RATE_LIMITS and RATE_LIMITS_STORE. Throws ConfigError. */
export function readRates(from: Variables, database: 'sqlite' | 'postgresql'): RateConfig {
  const text = from.text('RATE_LIMITS');
  const rules = parseRateRules(text ?? DEFAULT);
  if (rules instanceof RateFault) return from.refuse('RATE_LIMITS', rules.legal, rules.item);
  const isShared = from.choice('RATE_LIMITS_STORE', 'memory', ['memory', 'database']) !== 'memory';
  if (isShared && database === 'sqlite') {
    const legal = 'memory on SQLite: the one server of a file counts all requests itself';
    return from.refuse('RATE_LIMITS_STORE', legal);
  }
  return Object.freeze({
    rules,
    isDefault: text === null,
    store: isShared ? 'database' : 'memory',
  });
}
