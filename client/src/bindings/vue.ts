import { type MaybeRefOrGetter, type ShallowRef, shallowRef, toValue, watch } from 'vue';
import type { Observable } from '../cache/observable.js';

export { LOADING } from './loading.js';

type Source<Value, None = never> = MaybeRefOrGetter<Observable<Value> | None>;

/**
 * Returns a ref of a value that follows its changes until the scope ends: a live query, `jmap.sync`
 * or `jmap.problems`. A getter or a ref as the source may give another one later. Without a source,
 * the value is `initial`.
 */
export function useLive<Value>(source: Source<Value>): Readonly<ShallowRef<Value>>;
export function useLive<Value>(
  source: Source<Value, null | undefined>,
  initial: Value,
): Readonly<ShallowRef<Value>>;
export function useLive<Value>(
  source: Source<Value, null | undefined>,
  initial?: Value,
): Readonly<ShallowRef<Value | undefined>>;
export function useLive<Value>(
  source: Source<Value, null | undefined>,
  initial?: Value,
): Readonly<ShallowRef<Value | undefined>> {
  const value = shallowRef<Value | undefined>(initial);
  const show = (next: Value | undefined): void => {
    value.value = next;
  };
  watch(
    () => toValue(source),
    (current, _, onCleanup) => {
      if (current) onCleanup(current.subscribe(show));
      else show(initial);
    },
    // In step with the source: nobody sees the value of an earlier one.
    { immediate: true, flush: 'sync' },
  );
  return value;
}
