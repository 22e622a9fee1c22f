import { LOADING, useLive } from '../../src/bindings/react.js';
import { useLive as useSolid } from '../../src/bindings/solid.js';
import { useLive as useVue } from '../../src/bindings/vue.js';
import type * as jmap from '../../src/index.js';
import type { Project, TodoShape } from './sample.js';

type Todos = jmap.LiveSnapshot<jmap.Row<TodoShape>>;

export function use(jmap: jmap.CachedClient<Project>, isReady: boolean): void {
  const query = jmap.account().Todo.live({ filter: { done: false } });
  const late = isReady ? query : null;

  const todos: Todos = useLive(query);
  const orLoading: Todos = useLive(late, LOADING);
  const orNone: Todos | undefined = useLive(late);
  const pending: number = useLive(jmap.sync).pending;
  const problems: readonly jmap.Problem[] = useLive(jmap.problems);
  // @ts-expect-error there may be no query
  const never: Todos = useLive(late);
  // @ts-expect-error the value of another source
  useLive(query, { status: 'live' });
  void [todos, orLoading, orNone, pending, problems, never];

  const refs: readonly Todos[] = [
    useVue(query).value,
    useVue(() => query).value,
    useVue(() => late, LOADING).value,
  ];
  // @ts-expect-error there may be no query
  const noRef: Todos = useVue(() => late).value;
  // @ts-expect-error the ref is the binding's
  useVue(query).value = LOADING;
  void [refs, noRef];

  const signals: readonly Todos[] = [useSolid(() => query)(), useSolid(() => late, LOADING)()];
  // @ts-expect-error there may be no query
  const noSignal: Todos = useSolid(() => late)();
  void [signals, noSignal];
}

/** The contract of Svelte's stores: `$todos` of a live query has its type. */
interface SvelteStore<Value> {
  subscribe(this: void, run: (value: Value) => void): () => void;
}

export function useStores(jmap: jmap.CachedClient<Project>): void {
  const stores: readonly [SvelteStore<Todos>, SvelteStore<jmap.SyncSnapshot>] = [
    jmap.account().Todo.live(),
    jmap.sync,
  ];
  void stores;
}
