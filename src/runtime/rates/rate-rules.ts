import type { RatePolicy } from '../../protocol/rate-fields.js';
import { parseSpan } from '../spans.js';

/** Those whom a rule counts: a user, or the address of a client without good credentials. */
export type RateSubject = (typeof SUBJECTS)[number];

const SUBJECTS = Object.freeze(['user', 'address'] as const);

/** At most `count` requests of one subject in a window, which its first request begins. */
export interface RateRule extends RatePolicy {
  readonly subject: RateSubject;
}

/** An item of a list of rules that is wrong, and the right ones. */
export class RateFault {
  readonly item: string;
  readonly legal: string;

  constructor(item: string, legal: string) {
    this.item = item;
    this.legal = legal;
  }
}

const MOST_COUNT = 1_000_000_000;
const LONGEST = 24 * 3_600_000;
const MOST_RULES = 4;

const SHAPE = 'off, or rules such as user:1000/1m or address:100/1m, with commas';
const ITEM = /^([^:]*):([^/]*)\/(.*)$/s;

/** Parses `user:1000/1m,user:50/1s`; `off` is no rule at all. Returns the fault if there is one. */
export function parseRateRules(text: string): readonly RateRule[] | RateFault {
  const rules: RateRule[] = [];
  if (text.trim() === 'off') return rules;
  for (const part of text.split(',')) {
    const item = part.trim();
    const rule = parseRule(item, rules);
    if (rule instanceof RateFault) return rule;
    rules.push(rule);
  }
  return Object.freeze(rules);
}

type Window = Pick<RateRule, 'count' | 'seconds'>;

/** Returns how many requests a rule grants at most in so many seconds: windows may be in part. */
function mostIn(seconds: number, rule: Window): number {
  return rule.count * (Math.ceil(seconds / rule.seconds) + 1);
}

/** Returns whether another rule refuses each request that this one would. */
function neverRefuses({ count, seconds }: Window, other: Window): boolean {
  return count >= mostIn(seconds, other);
}

function useful(subject: RateSubject, { seconds }: Window, fewer: Window): string {
  const { count } = fewer;
  const most = mostIn(seconds, fewer) - 1;
  return (
    `at most ${most} for each ${subject} in ${seconds}s: ` +
    `${count}/${fewer.seconds}s refuses all beyond it`
  );
}

/** The first rule of a subject has its name, further ones also name the window: `user-1s`. */
function parseRule(item: string, earlier: readonly RateRule[]): RateRule | RateFault {
  const [, who, number = '', duration = ''] = ITEM.exec(item) ?? [];
  const subject = SUBJECTS.find((one) => one === who);
  if (who === undefined) return new RateFault(item, SHAPE);
  if (subject === undefined) return new RateFault(item, 'user or address before the ":" of a rule');
  const count = /^\d{1,10}$/.test(number) ? Number(number) : 0;
  if (count < 1 || count > MOST_COUNT) {
    return new RateFault(item, `a count from 1 to ${MOST_COUNT} before the "/" of a rule`);
  }
  const span = parseSpan(duration);
  if (span === null || duration.endsWith('ms') || span > LONGEST) {
    return new RateFault(item, 'a duration such as 1s, 5m or 1h, 24h at most, in a rule');
  }
  const seconds = span / 1000;
  const others = earlier.filter((rule) => rule.subject === subject);
  if (others.some((rule) => rule.seconds === seconds)) {
    return new RateFault(item, `one rule for each ${subject} in ${duration}`);
  }
  if (others.length === MOST_RULES) {
    return new RateFault(item, `at most ${MOST_RULES} rules for each ${subject}`);
  }
  const judged = { count, seconds };
  for (const other of others) {
    const [more, fewer] = neverRefuses(judged, other) ? [judged, other] : [other, judged];
    if (neverRefuses(more, fewer)) return new RateFault(item, useful(subject, more, fewer));
  }
  const name = others.length === 0 ? subject : `${subject}-${seconds}s`;
  return Object.freeze({ subject, name, count, seconds });
}
