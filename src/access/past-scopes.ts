import type { ScopedChange, ScopedObject } from '../store/port.js';

/** The scopes that objects had at each moment of a history. */
export class PastScopes {
  readonly #today: ReadonlyMap<string, readonly string[]>;
  /** By object: the changes that gave it other scopes, ascending, with those before. */
  readonly #changes = new Map<string, { readonly number: number; readonly before: Scopes }[]>();
  /** By scope: the objects that had it at some moment. */
  readonly #holders = new Map<string, Set<string>>();

  /** `today`: the objects that have the scopes in question now. `changes`: ascending. */
  constructor(today: readonly ScopedObject[], changes: readonly ScopedChange[]) {
    this.#today = new Map(today.map(({ id, scopes }) => [id, scopes]));
    for (const { id, scopes } of today) this.#note(id, scopes);
    for (const { number, kind, objectId, scopesBefore } of changes) {
      const before = kind === 'created' ? [] : scopesBefore;
      if (before === null) continue;
      const own = this.#changes.get(objectId) ?? [];
      this.#changes.set(objectId, own);
      own.push({ number, before });
      this.#note(objectId, before);
    }
  }

  #note(id: string, scopes: Scopes): void {
    for (const scope of scopes) {
      const holders = this.#holders.get(scope) ?? new Set();
      this.#holders.set(scope, holders);
      holders.add(id);
    }
  }

  /** Returns the objects that had one of the scopes just before the record of this number. */
  findBefore(number: number, scopes: Scopes): readonly ScopedObject[] {
    const wanted = new Set(scopes);
    const ids = new Set(scopes.flatMap((scope) => [...(this.#holders.get(scope) ?? [])]));
    return [...ids].flatMap((id) => {
      const next = this.#changes.get(id)?.find((change) => change.number > number);
      const own = next === undefined ? (this.#today.get(id) ?? []) : next.before;
      return own.some((scope) => wanted.has(scope)) ? [{ id, scopes: own }] : [];
    });
  }
}

type Scopes = readonly string[];
