import { useSyncExternalStore } from 'react';
import type { Observable } from '../cache/observable.js';

export { LOADING } from './loading.js';

const follow = () => () => undefined;

/**
 * Returns a value as it is now, and renders the component again after each change: a live query,
 * `jmap.sync` or `jmap.problems`. Without a source, it returns `initial`. So does rendering on a
 * server, and the first rendering over its HTML.
 */
export function useLive<Value>(source: Observable<Value>, initial?: Value): Value;
export function useLive<Value>(source: Observable<Value> | null | undefined, initial: Value): Value;
export function useLive<Value>(
  source: Observable<Value> | null | undefined,
  initial?: Value,
): Value | undefined;
export function useLive<Value>(
  source: Observable<Value> | null | undefined,
  initial?: Value,
): Value | undefined {
  const read = (): Value | undefined => (source ? source.getSnapshot() : initial);
  return useSyncExternalStore(source?.subscribe ?? follow, read, () => initial ?? read());
}
