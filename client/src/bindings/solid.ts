import {
  type Accessor,
  createComputed,
  createMemo,
  createSignal,
  type JSX,
  mapArray,
  onCleanup,
} from 'solid-js';
import { isServer } from 'solid-js/web';
import type { Observable } from '../cache/observable.js';

export { LOADING } from './loading.js';

/**
 * Returns a signal of a value that follows its changes until its owner ends: a live query,
 * `jmap.sync` or `jmap.problems`. The source may be another one later. Without a source, the value
 * is `initial`.
 */
export function useLive<Value>(source: Accessor<Observable<Value>>): Accessor<Value>;
export function useLive<Value>(
  source: Accessor<Observable<Value> | null | undefined>,
  initial: Value,
): Accessor<Value>;
export function useLive<Value>(
  source: Accessor<Observable<Value> | null | undefined>,
  initial?: Value,
): Accessor<Value | undefined>;
export function useLive<Value>(
  source: Accessor<Observable<Value> | null | undefined>,
  initial?: Value,
): Accessor<Value | undefined> {
  // Rendering on a server ends no owner.
  if (isServer) return () => source()?.getSnapshot() ?? initial;
  const [value, setValue] = createSignal<Value | undefined>(initial);
  const show = (next: Value | undefined) => setValue(() => next);
  createComputed(() => {
    const current = source();
    if (current) onCleanup(current.subscribe(show));
    else show(initial);
  });
  return value;
}

interface RowsProps<Row> {
  readonly each: readonly Row[];
  readonly children: (row: Accessor<Row>) => JSX.Element;
}

/**
 * Shows the rows of a list as `<For>` does, but by their `$key`: the elements of a row stay when it
 * changes, and the signal that they get follows it.
 */
export function Rows<Row extends { readonly $key: string }>(props: RowsProps<Row>): JSX.Element {
  const byKey = createMemo(() => new Map(props.each.map((row) => [row.$key, row])));
  const items = mapArray(
    () => [...byKey().keys()],
    (key) => {
      // A row that has gone keeps its last value until its elements go.
      const find = (before?: Row): Row => (byKey().get(key) ?? before) as Row;
      return props.children(createMemo(find));
    },
  );
  return createMemo(items) as unknown as JSX.Element;
}
