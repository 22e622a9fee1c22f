import { createRoot, createSignal, type JSX } from 'solid-js';
import { Rows, useLive } from '../../src/bindings/solid.js';
import { Followed } from './followed.js';

interface Row {
  readonly $key: string;
  readonly text: string;
}

export interface SolidPage {
  /** Follows one source, then another, then none. Returns the values and all followers. */
  follow(): { readonly values: readonly string[]; readonly followers: readonly string[] };
  /** Shows rows that change, move and go. Returns what each state shows, and what was made. */
  showRows(): { readonly shown: readonly string[]; readonly made: readonly string[] };
}

function follow() {
  const [one, other] = [new Followed('one'), new Followed('other')];
  const [source, setSource] = createSignal<Followed<string> | null>(one);
  const [values, followers]: [string[], string[]] = [[], []];
  createRoot((dispose) => {
    const value = useLive(source, 'none');
    const note = (act: () => unknown): void => {
      act();
      values.push(value());
      followers.push(`${one.followers} ${other.followers}`);
    };
    note(() => one.set('two'));
    note(() => setSource(other));
    note(() => one.set('late'));
    note(() => setSource(null));
    note(() => setSource(one));
    note(dispose);
  });
  return { values, followers };
}

function showRows() {
  const [rows, setRows] = createSignal<readonly Row[]>([]);
  const [shown, made]: [string[], string[]] = [[], []];
  createRoot((dispose) => {
    const items = Rows<Row>({
      get each() {
        return rows();
      },
      children: (row) => {
        made.push(row().text);
        return (() => row().text) as unknown as JSX.Element;
      },
    }) as unknown as () => readonly (() => string)[];
    const show = (next: readonly Row[]): void => {
      setRows(next);
      shown.push(
        items()
          .map((read) => read())
          .join(),
      );
    };
    show([
      { $key: '1', text: 'a' },
      { $key: '2', text: 'b' },
    ]);
    show([
      { $key: '2', text: 'B' },
      { $key: '1', text: 'a' },
    ]);
    show([
      { $key: '1', text: 'A' },
      { $key: '3', text: 'c' },
    ]);
    dispose();
  });
  return { shown, made };
}

Object.assign(globalThis, { solidPage: { follow, showRows } });
