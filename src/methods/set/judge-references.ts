import type { DataTypeDefinition } from '../../capability/definition.js';
import { MethodError } from '../../protocol/errors.js';
import type { Snapshot } from '../../store/port.js';
import { quoted } from '../issues.js';
import type { Registry } from '../registry.js';
import type { Proposal, ProposedRow } from './proposal.js';
import { type ReferenceProperty, referredIds } from './reference-values.js';

/** Records that a walk towards the roots may read. */
const MAX_ANCESTORS = 100_000;

/** Whether what a call's objects refer to exists, and whether they lead back to themselves. */
export class ReferenceJudge {
  readonly #proposal: Proposal;
  readonly #snapshot: Snapshot;
  readonly #registry: Registry;
  readonly #births: ReadonlySet<string>;
  readonly #existing = new Map<string, Map<string, boolean>>();
  readonly #parents = new Map<string, ReadonlyMap<string, readonly string[]>>();

  constructor(proposal: Proposal, snapshot: Snapshot, registry: Registry) {
    this.#proposal = proposal;
    this.#births = new Set(proposal.creates.map(({ id }) => id));
    this.#snapshot = snapshot;
    this.#registry = registry;
  }

  /** Refuses what may not be; true where it did. Reads once, whatever the number of turns. */
  async judge(): Promise<boolean> {
    const { references } = this.#proposal.index;
    if (references.length === 0) return false;
    const { size } = this.#proposal.refused;
    const { rows } = this.#proposal;
    await this.#lookUp(rows);
    for (const row of rows.values()) {
      for (const property of references) this.#requireExisting(row, property, rows);
    }
    if (this.#proposal.refused.size > size) return true;
    for (const property of references) {
      if (property.reference.acyclic) await this.#requireAcyclic(property, rows);
    }
    return this.#proposal.refused.size > size;
  }

  async #lookUp(rows: ReadonlyMap<string, ProposedRow>): Promise<void> {
    const unknown = new Map<string, Set<string>>();
    for (const row of rows.values()) {
      for (const property of this.#proposal.index.references) {
        const { type } = property.reference;
        for (const id of added(row, property)) {
          if (this.#isOwn(type, id, rows) || this.#existing.get(type)?.has(id)) continue;
          const ids = unknown.get(type) ?? new Set();
          unknown.set(type, ids.add(id));
        }
      }
    }
    for (const [name, ids] of unknown) {
      const type = this.#type(name);
      const found = await this.#snapshot.existing(type, [...ids]);
      const known = this.#existing.get(name) ?? new Map<string, boolean>();
      for (const id of ids) known.set(id, found.has(id));
      this.#existing.set(name, known);
    }
  }

  #requireExisting(
    row: ProposedRow,
    property: ReferenceProperty,
    rows: ReadonlyMap<string, ProposedRow>,
  ): void {
    const { type } = property.reference;
    const missing = added(row, property).filter(
      (id) => !this.#isOwn(type, id, rows) && this.#existing.get(type)?.get(id) !== true,
    );
    const [first] = missing;
    if (first === undefined) return;
    const what = this.#isBirth(first)
      ? 'refers to a creation id under which nothing was created'
      : `refers to ${quoted(first)}, which is no ${type} of this account`;
    this.#proposal.complain(row, property.name, what);
  }

  /** D13: the last operation on a circle gives way. */
  async #requireAcyclic(
    property: ReferenceProperty,
    rows: ReadonlyMap<string, ProposedRow>,
  ): Promise<void> {
    const moved = [...rows.values()].filter((row) => added(row, property).length > 0);
    if (moved.length === 0) return;
    const stored = await this.#storedParents(property, moved);
    const parentsOf = (id: string): readonly string[] => {
      const row = rows.get(id);
      return row === undefined
        ? (stored.get(id) ?? [])
        : referredIds(property, row.after[property.name]);
    };
    const guilty = moved.findLast((row) => leadsBack(row.id, parentsOf));
    if (guilty === undefined) return;
    this.#proposal.complain(
      guilty,
      property.name,
      'must lead neither to the object itself nor to one below it',
    );
  }

  async #storedParents(
    property: ReferenceProperty,
    moved: readonly ProposedRow[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const known = this.#parents.get(property.name);
    if (known !== undefined) return known;
    const { type } = this.#proposal.index;
    const ids = new Set(moved.flatMap((row) => [row.id, ...added(row, property)]));
    const records = await this.#snapshot.ancestors(type, property.name, [...ids], MAX_ANCESTORS);
    if (records.length > MAX_ANCESTORS) {
      throw new MethodError(
        'requestTooLarge',
        `${quoted(property.name)} leads to more than ${MAX_ANCESTORS} objects.`,
      );
    }
    const parents = new Map<string, string[]>();
    for (const { fromId, toId } of records) {
      const list = parents.get(fromId);
      if (list === undefined) parents.set(fromId, [toId]);
      else list.push(toId);
    }
    this.#parents.set(property.name, parents);
    return parents;
  }

  #isOwn(type: string, id: string, rows: ReadonlyMap<string, ProposedRow>): boolean {
    return type === this.#proposal.index.type.name && rows.has(id);
  }

  #isBirth(id: string): boolean {
    return this.#births.has(id);
  }

  #type(name: string): DataTypeDefinition {
    const type = this.#registry.dataTypes.get(name);
    if (type === undefined) throw new Error(`A reference leads to the unknown type ${name}.`);
    return type;
  }
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

function leadsBack(start: string, parentsOf: (id: string) => readonly string[]): boolean {
  const seen = new Set<string>();
  const waiting = [...parentsOf(start)];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === start) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    waiting.push(...parentsOf(id));
  }
  return false;
}
