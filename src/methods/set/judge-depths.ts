import { type Inheritance, MAX_DEPTH } from '../../access/inheritance.js';
import { parentRulesOf } from '../../capability/access-rules.js';
import { jsonEqual } from '../../protocol/equal.js';
import type { UnitOfWork } from '../work/unit.js';
import { groupsOf } from './circles.js';
import type { ProposedChanges, ProposedRow } from './proposed-changes.js';
import { type ObjectKey, push, textOf } from './relations.js';

/** Whether a call has objects follow one another by access rules too deep. */
export class DepthJudge {
  readonly #changes: ProposedChanges;
  readonly #unit: UnitOfWork;
  /** The references by which objects of the type follow others. */
  readonly #references: readonly string[];

  constructor(changes: ProposedChanges, unit: UnitOfWork) {
    this.#changes = changes;
    this.#unit = unit;
    const rules = parentRulesOf(changes.index.type.access ?? []);
    this.#references = [...new Set(rules.map(({ who }) => who.reference))];
  }

  /** Refuses operations that nest objects too deep; true if it did. `after`: with the call's. */
  async judge(after: Inheritance): Promise<boolean> {
    const { index, rows, refusals } = this.#changes;
    const moved = [...rows.values()].filter((row) => this.#movesBy(row) !== undefined);
    if (moved.length === 0) return false;
    const { name } = index.type;
    await after.reach(
      index.type,
      moved.map((row) => row.after),
    );
    const keys = moved.map(({ id }) => ({ type: name, id }));
    const above = depthsOf(keys, ({ type, id }) => after.parentsOf(type, id));
    const followers = await this.#followers(moved);
    const below = depthsOf(keys, (key) => followers.get(textOf(key)) ?? []);
    for (const row of moved) {
      const key = textOf({ type: name, id: row.id });
      if ((above.get(key) ?? 0) + (below.get(key) ?? 0) <= MAX_DEPTH) continue;
      const property = this.#movesBy(row) ?? '';
      this.#changes.complain(row, property, `must not nest objects more than ${MAX_DEPTH} deep`);
    }
    return this.#changes.refusals > refusals;
  }

  /** Returns the property that has the object follow others than before. */
  #movesBy({ before, after }: ProposedRow): string | undefined {
    return this.#references.find((name) => !jsonEqual(before?.[name] ?? null, after[name] ?? null));
  }

  /** Returns the objects that follow others, as the call leaves them, by those that they follow. */
  async #followers(moved: readonly ProposedRow[]): Promise<ReadonlyMap<string, ObjectKey[]>> {
    const { index, rows } = this.#changes;
    const { name } = index.type;
    const ids = moved.flatMap(({ id, before }) => (before === null ? [] : id));
    const links = ids.length === 0 ? [] : await this.#unit.linksTo([{ type: name, ids }]);
    const followers = new Map<string, ObjectKey[]>();
    for (const { toType, toId, fromType: type, fromId: id } of links) {
      // Objects of the call count by what is above them.
      if (type === name && rows.has(id)) continue;
      push(followers, textOf({ type: toType, id: toId }), { type, id });
    }
    return followers;
  }
}

/** Returns, by key, over how many others an object leads at most; circles count once. */
function depthsOf(
  keys: readonly ObjectKey[],
  nextOf: (key: ObjectKey) => readonly ObjectKey[],
): ReadonlyMap<string, number> {
  const known = new Map(keys.map((key) => [textOf(key), key]));
  const edgesOf = (text: string): readonly string[] => {
    const key = known.get(text);
    return (key === undefined ? [] : nextOf(key)).map((next) => {
      known.set(textOf(next), next);
      return textOf(next);
    });
  };
  const depths = new Map<string, number>();
  for (const { ids } of groupsOf([...known.keys()], edgesOf)) {
    const next = [...ids].flatMap(edgesOf).filter((id) => !ids.has(id));
    const depth = next.reduce((most, id) => Math.max(most, 1 + (depths.get(id) ?? 0)), 0);
    for (const id of ids) depths.set(id, depth);
  }
  return depths;
}
