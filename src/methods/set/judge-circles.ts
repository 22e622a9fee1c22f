import { MethodError } from '../../protocol/errors.js';
import type { Snapshot } from '../../store/port.js';
import { quoted } from '../issues.js';
import type { TypeReference } from '../type-index.js';
import { newReferences, referredIds } from '../work/links.js';
import { groupsOf } from './circles.js';
import type { ProposedChanges, ProposedRow } from './proposed-changes.js';
import { push } from './relations.js';

/** Records that a walk towards the roots may read. */
const MAX_ANCESTORS = 100_000;

/**
 * Turns in which the last operation on each circle gives way; each turn costs a walk. If circles
 * are left after them, all operations that give the property a new reference do.
 */
const MAX_TURNS = 32;

/** The objects that the database has, and those that they lead to. */
interface Ancestry {
  readonly parents: Map<string, readonly string[]>;
  /** Ids that need not be read again. */
  readonly walked: Set<string>;
}

/** Whether what a call's objects refer to by `acyclic` references leads back to them. */
export class CircleJudge {
  readonly #changes: ProposedChanges;
  readonly #snapshot: Snapshot;
  readonly #ancestry = new Map<string, Ancestry>();

  constructor(changes: ProposedChanges, snapshot: Snapshot) {
    this.#changes = changes;
    this.#snapshot = snapshot;
  }

  /** Refuses operations that make circles; true if it did. Walks from each id once in all turns. */
  async judge(): Promise<boolean> {
    const { index, refusals } = this.#changes;
    for (const reference of index.references) {
      if (reference.acyclic) await this.#requireAcyclic(reference);
    }
    return this.#changes.refusals > refusals;
  }

  /** The last operation on a circle gives way. */
  async #requireAcyclic(reference: TypeReference): Promise<void> {
    const { rows } = this.#changes;
    for (let turn = 1; ; turn += 1) {
      const moved = [...rows.values()].filter(
        ({ before, after }) => newReferences(reference, before, after).length > 0,
      );
      if (moved.length === 0) return;
      const stored = await this.#storedParents(reference, moved);
      const parentsOf = (id: string): readonly string[] => {
        const row = rows.get(id);
        return row === undefined ? (stored.get(id) ?? []) : referredIds(reference, row.after);
      };
      const ids = moved.map(({ id }) => id);
      const guilty = groupsOf(ids, parentsOf)
        .filter(({ isCircle }) => isCircle)
        .map((circle) => moved.filter(({ id }) => circle.ids.has(id)));
      if (guilty.every((group) => group.length === 0)) return;
      for (const group of guilty) {
        for (const row of turn < MAX_TURNS ? group.slice(-1) : moved) {
          this.#changes.complain(
            row,
            reference.property.name,
            'must lead neither to the object itself nor to one below it',
          );
        }
      }
    }
  }

  async #storedParents(
    reference: TypeReference,
    moved: readonly ProposedRow[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { index, births } = this.#changes;
    const { name } = reference;
    const ancestry = this.#ancestry.get(name) ?? { parents: new Map(), walked: new Set() };
    this.#ancestry.set(name, ancestry);
    const { parents, walked } = ancestry;
    const ids = new Set<string>();
    for (const { id: own, before, after } of moved) {
      for (const id of [own, ...newReferences(reference, before, after)]) {
        if (!walked.has(id) && !births.has(id)) ids.add(id);
      }
    }
    if (ids.size === 0) return parents;
    const { type } = index;
    const records = await this.#snapshot.ancestors(type, name, [...ids], MAX_ANCESTORS);
    if (records.length > MAX_ANCESTORS) {
      throw new MethodError(
        'requestTooLarge',
        `${quoted(name)} leads to more than ${MAX_ANCESTORS} objects.`,
      );
    }
    const fresh = new Map<string, string[]>();
    for (const { fromId, toId } of records) push(fresh, fromId, toId);
    for (const [id, list] of fresh) parents.set(id, list);
    for (const id of [...ids, ...fresh.keys()]) walked.add(id);
    return parents;
  }
}
