import { type ObjectTypes, propertiesJudged } from '../../access/inheritance.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { StoredObject } from '../../store/port.js';
import { indexOf } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import type { CallAccess } from './call-access.js';
import type { StayingObjects } from './destroys.js';
import type { Author } from './draft.js';
import { refusalOfDestroy } from './judge-rules.js';
import { idsByType, type ObjectKey, textOf } from './relations.js';

export interface StayScene {
  readonly access: CallAccess;
  readonly author: Author;
  readonly unit: UnitOfWork;
  readonly types: ObjectTypes;
}

/**
 * The objects that a call's destroys would take along, and that stay: by a rule of their type, or
 * since the user has no right to destroy them.
 */
export class StayJudge implements StayingObjects {
  readonly #scene: StayScene;
  readonly #judged = new Set<string>();
  readonly kept: ObjectKey[] = [];
  readonly lasting: ObjectKey[] = [];

  constructor(scene: StayScene) {
    this.#scene = scene;
  }

  /**
   * Returns whether there are new ones. `roots`: those that the call itself destroys. One statement
   * for each type that has such rules.
   */
  async find(
    removals: ReadonlyMap<string, ObjectKey>,
    roots: readonly ObjectKey[],
  ): Promise<boolean> {
    const { types } = this.#scene;
    const own = new Set(roots.map(textOf));
    const unknown = [...removals].filter(([key]) => !own.has(key) && !this.#judged.has(key));
    const before = this.kept.length + this.lasting.length;
    for (const [key] of unknown) this.#judged.add(key);
    for (const [name, ids] of idsByType(unknown.map(([, key]) => key))) {
      const type = types.get(name);
      if (type !== undefined) await this.#judge(type, [...ids]);
    }
    return this.kept.length + this.lasting.length > before;
  }

  async #judge(type: DataTypeDefinition, ids: readonly string[]): Promise<void> {
    const { access, author, unit } = this.#scene;
    const { rules } = indexOf(type);
    const keeping =
      author === 'client' && rules !== null && rules.keeping.length > 0 ? rules : null;
    const judge = await access.judgeOf(type);
    if (keeping === null && judge === null) return;
    const judged = judge === null ? [] : propertiesJudged(type);
    const properties = new Set([...(keeping?.keepingProperties ?? []), ...judged]);
    const stored = await unit.transaction.get(type, ids, [...properties]);
    const rows = stored.map((row) => unit.current(type, row.id) ?? row);
    const keysOf = (some: readonly StoredObject[]): readonly ObjectKey[] =>
      some.map(({ id }) => ({ type: type.name, id }));
    this.kept.push(...keysOf(rows.filter((row) => refusalOfDestroy(keeping, row) !== null)));
    if (judge !== null) this.lasting.push(...keysOf(await judge.lasting(rows)));
  }
}
