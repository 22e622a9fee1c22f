import type { DataTypeDefinition } from '../../capability/definition.js';
import { MethodError } from '../../protocol/errors.js';
import type { Slices } from '../../runtime/slices.js';
import type { Snapshot } from '../../store/port.js';
import { quoted } from '../issues.js';
import { MAX_IDS } from '../long-calls.js';
import type { Registry } from '../registry.js';
import type { ReferenceProperty } from '../type-index.js';
import { referredIds, unknownReference } from '../work/reference-values.js';
import { circles } from './circles.js';
import type { Proposal, ProposedRow } from './proposal.js';

/** Records that a walk towards the roots may read. */
const MAX_ANCESTORS = 100_000;

/**
 * Turns in which the last operation on each circle gives way. A call in which that leaves circles is
 * no call that anybody wants: all that makes some gives way then, since each turn costs a walk.
 */
const MAX_TURNS = 32;

/** Whether what a call's objects refer to exists, and whether they lead back to themselves. */
export class ReferenceJudge {
  readonly #proposal: Proposal;
  readonly #snapshot: Snapshot;
  readonly #registry: Registry;
  readonly #slices: Slices;
  readonly #existing = new Map<string, Map<string, boolean>>();
  readonly #ancestry = new Map<string, Ancestry>();

  constructor(proposal: Proposal, snapshot: Snapshot, registry: Registry, slices: Slices) {
    this.#proposal = proposal;
    this.#snapshot = snapshot;
    this.#registry = registry;
    this.#slices = slices;
  }

  /**
   * Refuses what may not be; true where it did. Reads each id once, whatever the number of turns.
   */
  async judge(): Promise<boolean> {
    const { references } = this.#proposal.index;
    if (references.length === 0) return false;
    const { size } = this.#proposal.refused;
    await this.#lookUp();
    await this.#requireAllExisting();
    if (this.#proposal.refused.size > size) return true;
    for (const property of references) {
      if (property.reference.acyclic) await this.#requireAcyclic(property);
    }
    return this.#proposal.refused.size > size;
  }

  async #lookUp(): Promise<void> {
    const unknown = new Map<string, Set<string>>();
    for (const row of this.#proposal.rows.values()) {
      if (this.#slices.isOver()) await this.#slices.next();
      for (const property of this.#proposal.index.references) {
        const { type } = property.reference;
        for (const id of added(row, property)) {
          if (this.#isOwn(type, id) || this.#existing.get(type)?.has(id)) continue;
          const ids = unknown.get(type) ?? new Set();
          unknown.set(type, ids.add(id));
        }
      }
    }
    for (const [name, ids] of unknown) {
      const type = this.#type(name);
      const known = this.#existing.get(name) ?? new Map<string, boolean>();
      this.#existing.set(name, known);
      const all = [...ids];
      for (let begin = 0; begin < all.length; begin += MAX_IDS) {
        if (this.#slices.isOver()) await this.#slices.next();
        const some = all.slice(begin, begin + MAX_IDS);
        const found = await this.#snapshot.existing(type, some);
        for (const id of some) known.set(id, found.has(id));
      }
    }
  }

  /** Creates that are refused take with them those that refer to them, however long the chain. */
  async #requireAllExisting(): Promise<void> {
    const { rows } = this.#proposal;
    const dependents = new Map<string, string[]>();
    for (const row of rows.values()) {
      if (this.#slices.isOver()) await this.#slices.next();
      for (const id of this.#requireExisting(row)) {
        const list = dependents.get(id);
        if (list === undefined) dependents.set(id, [row.id]);
        else list.push(row.id);
      }
    }
    const gone = [...dependents.keys()].filter((id) => !rows.has(id));
    for (let id = gone.pop(); id !== undefined; id = gone.pop()) {
      for (const dependent of dependents.get(id) ?? []) {
        const row = rows.get(dependent);
        if (row === undefined) continue;
        this.#requireExisting(row);
        if (!rows.has(dependent) && dependents.has(dependent)) gone.push(dependent);
      }
    }
  }

  /** The objects of this call that the row newly refers to. */
  #requireExisting(row: ProposedRow): readonly string[] {
    const births: string[] = [];
    for (const property of this.#proposal.index.references) {
      const { type } = property.reference;
      const ids = added(row, property);
      const known = this.#existing.get(type);
      const first = ids.find((id) => !this.#isOwn(type, id) && known?.get(id) !== true);
      for (const id of ids) if (this.#proposal.births.has(id)) births.push(id);
      if (first === undefined) continue;
      this.#proposal.complain(
        row,
        property.name,
        unknownReference(type, first, this.#proposal.births),
      );
    }
    return births;
  }

  /** D13: the last operation on a circle gives way. */
  async #requireAcyclic(property: ReferenceProperty): Promise<void> {
    const { rows } = this.#proposal;
    for (let turn = 1; ; turn += 1) {
      const moved = [...rows.values()].filter((row) => added(row, property).length > 0);
      if (moved.length === 0) return;
      const stored = await this.#storedParents(property, moved);
      const parentsOf = (id: string): readonly string[] => {
        const row = rows.get(id);
        return row === undefined
          ? (stored.get(id) ?? [])
          : referredIds(property, row.after[property.name]);
      };
      const groups = circles(
        moved.map(({ id }) => id),
        parentsOf,
      );
      const guilty = groups.map((group) => moved.filter(({ id }) => group.has(id)));
      if (guilty.every((group) => group.length === 0)) return;
      for (const group of guilty) {
        for (const row of turn < MAX_TURNS ? group.slice(-1) : moved) {
          this.#proposal.complain(
            row,
            property.name,
            'must lead neither to the object itself nor to one below it',
          );
        }
      }
    }
  }

  async #storedParents(
    property: ReferenceProperty,
    moved: readonly ProposedRow[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { type } = this.#proposal.index;
    const ancestry = this.#ancestry.get(property.name) ?? { parents: new Map(), walked: new Set() };
    this.#ancestry.set(property.name, ancestry);
    const { parents, walked } = ancestry;
    const all = moved.flatMap((row) => [row.id, ...added(row, property)]);
    const ids = new Set(all.filter((id) => !walked.has(id) && !this.#proposal.births.has(id)));
    if (ids.size === 0) return parents;
    const records = await this.#snapshot.ancestors(type, property.name, [...ids], MAX_ANCESTORS);
    if (records.length > MAX_ANCESTORS) {
      throw new MethodError(
        'requestTooLarge',
        `${quoted(property.name)} leads to more than ${MAX_ANCESTORS} objects.`,
      );
    }
    const fresh = new Map<string, string[]>();
    for (const { fromId, toId } of records) {
      const list = fresh.get(fromId);
      if (list === undefined) fresh.set(fromId, [toId]);
      else list.push(toId);
    }
    for (const [id, list] of fresh) parents.set(id, list);
    for (const id of [...ids, ...fresh.keys()]) walked.add(id);
    return parents;
  }

  #isOwn(type: string, id: string): boolean {
    return type === this.#proposal.index.type.name && this.#proposal.holds(id);
  }

  #type(name: string): DataTypeDefinition {
    const type = this.#registry.dataTypes.get(name);
    if (type === undefined) throw new Error(`A reference leads to the unknown type ${name}.`);
    return type;
  }
}

/** What the database says of objects and those that they lead to. */
interface Ancestry {
  readonly parents: Map<string, readonly string[]>;
  /** Ids that need not be read again. */
  readonly walked: Set<string>;
}

/** What the row refers to and didn't before: an update is judged on what it touches (D13). */
function added(row: ProposedRow, property: ReferenceProperty): readonly string[] {
  const { name } = property;
  const now = row.after[name];
  if (row.before === null) return referredIds(property, now);
  if (row.before[name] === now) return [];
  const old = new Set(referredIds(property, row.before[name]));
  return referredIds(property, now).filter((id) => !old.has(id));
}
