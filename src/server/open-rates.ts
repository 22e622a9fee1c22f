import { coarsenAddress } from '../http/client-address.js';
import { LeasedCounter } from '../runtime/rates/leased-counter.js';
import { MemoryCounter } from '../runtime/rates/memory-counter.js';
import type { PointStore, RateCounter } from '../runtime/rates/rate-counter.js';
import { type RateLimits, RateSet } from '../runtime/rates/rate-limits.js';
import type { RateRule, RateSubject } from '../runtime/rates/rate-rules.js';
import { Seldom } from '../runtime/seldom.js';
import type { Logger } from './logging.js';
import type { Opened } from './open-engine.js';
import type { RateConfig } from './rate-config.js';

export interface RateOptions {
  /** Opens the points of a rule in the database; absent where there are none. */
  readonly openPoints?: ((rule: RateRule) => PointStore) | undefined;
  readonly metrics: { rateLimited(rule: string): void };
  readonly log: Pick<Logger, 'warn'>;
  readonly opened: Opened;
}

/** Opens the counters of all rules. */
export function openRates(
  { rules, isDefault }: RateConfig,
  { openPoints, metrics, log, opened }: RateOptions,
): RateLimits {
  const failures = new Seldom(1);
  const onFailure = (err: unknown): void => {
    const fields = failures.admit('');
    if (fields !== null)
      log.warn({ err, ...fields }, 'rate limits are counted in memory: the database is away');
  };
  const openCounter = (rule: RateRule): RateCounter => {
    const coarsen = rule.subject === 'address' ? coarsenAddress : undefined;
    const memory = new MemoryCounter({ rule, coarsen });
    if (openPoints === undefined) return memory;
    return new LeasedCounter({ rule, memory, store: openPoints(rule), onFailure });
  };
  const openSet = (subject: RateSubject): RateSet | null => {
    const own = rules.filter((rule) => rule.subject === subject);
    if (own.length === 0) return null;
    const refused = (rule: string): void => metrics.rateLimited(rule);
    const set = new RateSet({ rules: own, openCounter, refused });
    opened.push(() => set.close());
    return set;
  };
  return { user: openSet('user'), address: openSet('address'), countsPrivate: !isDefault };
}
