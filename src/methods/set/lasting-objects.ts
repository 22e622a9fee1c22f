import { type ObjectTypes, propertiesJudged } from '../../access/inheritance.js';
import type { UnitOfWork } from '../work/unit.js';
import type { CallAccess } from './call-access.js';
import { idsByType, type ObjectKey, textOf } from './relations.js';

/** The objects that a call's destroys would take along, and that its user may not destroy. */
export class LastingObjects {
  readonly #access: CallAccess;
  readonly #unit: UnitOfWork;
  readonly #types: ObjectTypes;
  /** By key: null for those that may go. */
  readonly #judged = new Map<string, ObjectKey | null>();

  constructor(access: CallAccess, unit: UnitOfWork, types: ObjectTypes) {
    this.#access = access;
    this.#unit = unit;
    this.#types = types;
  }

  get keys(): readonly ObjectKey[] {
    return [...this.#judged.values()].filter((key) => key !== null);
  }

  /** Returns whether there are new ones. `roots`: those that the call itself destroys. */
  async find(
    removals: ReadonlyMap<string, ObjectKey>,
    roots: readonly ObjectKey[],
  ): Promise<boolean> {
    const own = new Set(roots.map(textOf));
    const unknown = [...removals].filter(([key]) => !own.has(key) && !this.#judged.has(key));
    let found = false;
    for (const [name, ids] of idsByType(unknown.map(([, key]) => key))) {
      const type = this.#types.get(name);
      const judge = type === undefined ? null : await this.#access.judgeOf(type);
      if (type === undefined || judge === null) continue;
      for (const id of ids) this.#judged.set(textOf({ type: name, id }), null);
      const stored = await this.#unit.transaction.get(type, [...ids], propertiesJudged(type));
      const rows = stored.map((row) => this.#unit.current(type, row.id) ?? row);
      for (const { id } of await judge.lasting(rows)) {
        const key = { type: name, id };
        this.#judged.set(textOf(key), key);
        found = true;
      }
    }
    return found;
  }
}
