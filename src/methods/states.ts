import { MethodError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import { STATE_LEAP } from '../protocol/leap.js';
import type { ChangeRecordAt, ViewRecordAt } from '../store/port.js';
import type { Services } from './context.js';

const COUNTER = /^(?:0|[1-9]\d{0,15})$/;

/** Returns the counter behind a state string; null where we never issued such a string. */
export function parseState(state: string): number | null {
  const number = COUNTER.test(state) ? Number(state) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}

export function formatState(number: number): string {
  return String(number);
}

/**
 * Throws `stateMismatch` where `ifInState` or its like (RFC 8620 5.3) is another state; null and
 * absent are not checked.
 */
export function requireState(
  argument: string,
  expected: string | null | undefined,
  now: string,
): void {
  if (expected === null || expected === undefined || expected === now) return;
  throw new MethodError(
    'stateMismatch',
    `"${argument}" is not the current state; fetch the objects again and retry.`,
  );
}

export function clock(services: Services): number {
  return services.now === undefined ? Date.now() : services.now();
}

/**
 * Judges the change records after `since`: the first must be the next one and still be within its
 * time, and none may lack in between. A state a leap back was given out before a restore: its
 * records may mean other changes, or be in the middle of being removed. `complete`: the records
 * reach to the current state.
 */
export function requireUnbroken(
  records: readonly ChangeRecordAt[],
  { since, current }: Span,
  complete: boolean,
  services: Services,
): void {
  const oldest = records[0];
  const keep = services.limits.changesKeep;
  const kept = oldest !== undefined && oldest.at >= clock(services) - keep;
  const unbroken = records.every((record, index) => record.number === since + 1 + index);
  const ends = !complete || records.at(-1)?.number === current;
  const isBefore = current - since >= STATE_LEAP;
  if (kept && unbroken && ends && !isBefore) return;
  cannotCalculate('The changes since this state are no longer kept.', {
    ...{ since, current },
    ...(isBefore
      ? { code: 'beforeRestore' }
      : oldest !== undefined && !kept
        ? { code: 'tooOld', kept: keep / 1000, age: (clock(services) - oldest.at) / 1000 }
        : { code: 'removed', kept: keep / 1000 }),
  });
}

/**
 * Judges the same for a user who sees a part of the objects. Records that are removed matter if
 * they concern that part: `pruned` is the number of the last one.
 */
export function requireKept(
  records: readonly ViewRecordAt[],
  { since, current, pruned }: Span & { readonly pruned: number },
  services: Services,
): void {
  const first = records[0]?.number;
  // The view has changed: the record of that must be there.
  const unbroken =
    first !== undefined && records.every(({ number }, index) => number === first + index);
  const isBefore = current - since >= STATE_LEAP;
  if (pruned <= since && unbroken && !isBefore) return;
  const kept = services.limits.changesKeep / 1000;
  cannotCalculate('The changes since this state are no longer kept.', {
    ...{ since, current },
    ...(isBefore ? { code: 'beforeRestore' } : { code: 'removed', kept }),
  });
}

/** From the state that a client has to the one that there is. */
export interface Span {
  readonly since: number;
  readonly current: number;
}

/** Refuses a state that was never reached; `argument` is the one that has it. */
export function requireReached(argument: string, { since, current }: Span): void {
  if (since <= current) return;
  cannotCalculate(`"${argument}" is ahead of the current state.`, {
    ...{ code: 'ahead', since, current },
  });
}

/**
 * Why a state leads nowhere, for `explain`; `code` is one of a fixed list
 * (docs/reference/protocol.md#reasons).
 */
export type StateReason = JsonObject & {
  readonly code:
    | 'notAState'
    | 'otherQuery'
    | 'ahead'
    | 'tooOld'
    | 'removed'
    | 'beforeRestore'
    | 'tooManyChanged'
    | 'leftGroup'
    | 'partlyVisible';
};

export function cannotCalculate(description: string, reason: StateReason): never {
  throw new MethodError('cannotCalculateChanges', description, reason);
}
