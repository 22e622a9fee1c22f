import type { UniqueDefinition } from '../../capability/definition.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import type { Snapshot, StoredObject } from '../../store/port.js';
import { quoted } from '../issues.js';
import type { Operation, Proposal, ProposedRow } from './proposal.js';

type Key = readonly JsonValue[];

/** By constraint and key: which object of the call has it. */
type Taken = Map<string, string>;

/** What was refused for the sake of an object of the same call. */
interface Lost {
  readonly operation: Operation;
  readonly error: SetError;
  readonly unique: UniqueDefinition;
  readonly text: string;
  /** As it was judged then. */
  readonly holder: ProposedRow;
}

/**
 * Uniqueness on the call's final state (RFC 8620 5.3: two objects may swap names). Of those that
 * collide, the later in order of creates and updates lose (D13).
 */
export class UniqueJudge {
  readonly #proposal: Proposal;
  readonly #snapshot: Snapshot;
  /** By constraint and key: ids of the objects that the database has with it. */
  readonly #held = new Map<string, Map<string, readonly string[]>>();
  readonly #lost: Lost[] = [];

  constructor(proposal: Proposal, snapshot: Snapshot) {
    this.#proposal = proposal;
    this.#snapshot = snapshot;
  }

  /** Refuses those that collide; true where it did. `isGone`: the call destroys the object. */
  async judge(isGone: (id: string) => boolean): Promise<boolean> {
    const { uniques } = this.#proposal.index;
    if (uniques.length === 0) return false;
    const { rows, refusals } = this.#proposal;
    for (const unique of uniques) await this.#lookUp(unique, rows);
    const taken: Taken = new Map();
    // Those that keep what they had come first: nobody can take it from them.
    for (const row of rows.values()) {
      if (isGone(row.id) || row.before === null) continue;
      for (const key of this.#keys(row.after, row.before)) taken.set(key, row.id);
    }
    const losers: ProposedRow[] = [];
    for (const row of [...rows.values()]) {
      if (isGone(row.id)) continue;
      const holder = this.#holderOf(row, rows, taken, isGone);
      if (holder !== null) {
        this.#refuse(row, holder.unique, holder.id);
        losers.push(row);
        continue;
      }
      for (const key of this.#keys(row.after)) taken.set(key, row.id);
    }
    this.#takeBack(losers, taken);
    return this.#proposal.refusals > refusals;
  }

  /**
   * `alreadyExists` names an object that is there with that value (5.3). Where the call's own object, to which another
   * one lost, was refused in its turn, the other one is told what is true: that it goes beyond the quota as well, being
   * the later create, or that its value was not free in this call.
   */
  retell(): void {
    const { rows, creates } = this.#proposal;
    for (const { operation, error, unique, text, holder } of this.#lost) {
      if (operation.error !== error) continue;
      const now = rows.get(holder.id)?.after ?? holder.before;
      if (now !== null && textOf(keyOf(unique, now)) === text) continue;
      const first = creates.find(({ id }) => id === holder.id);
      const why = first?.error ?? null;
      const isOver = why?.type === 'overQuota' && operation.kind === 'create';
      operation.error = isOver ? why : notFree(unique);
    }
  }

  /** A refused update keeps its old value, so those that wanted the value are refused too, and so on. */
  #takeBack(losers: ProposedRow[], taken: Taken): void {
    const { rows, index } = this.#proposal;
    for (let loser = losers.pop(); loser !== undefined; loser = losers.pop()) {
      const { id, before } = loser;
      if (before === null) continue;
      const after = rows.get(id)?.after ?? before;
      for (const unique of index.uniques) {
        const [key] = this.#keys(after, before, [unique]);
        const row = key === undefined ? undefined : rows.get(taken.get(key) ?? id);
        if (key === undefined || row === undefined || row.id === id) continue;
        // It may have lost what it had taken.
        if (!this.#keys(row.after, null, [unique]).includes(key)) continue;
        this.#refuse(row, unique, id);
        taken.set(key, id);
        losers.push(row);
      }
    }
  }

  /** Texts of the object's keys; with `before`, of those alone that it had already. */
  #keys(
    object: StoredObject,
    before: StoredObject | null = null,
    uniques: readonly UniqueDefinition[] = this.#proposal.index.uniques,
  ): readonly string[] {
    const keys: string[] = [];
    for (const unique of uniques) {
      const key = keyOf(unique, object);
      if (key === null) continue;
      const text = textOf(key);
      if (before !== null && text !== textOf(keyOf(unique, before))) continue;
      keys.push(`${unique.name}\n${text}`);
    }
    return keys;
  }

  async #lookUp(unique: UniqueDefinition, rows: ReadonlyMap<string, ProposedRow>): Promise<void> {
    const known = this.#held.get(unique.name) ?? new Map<string, readonly string[]>();
    this.#held.set(unique.name, known);
    const unknown = new Map<string, Key>();
    for (const { before, after } of rows.values()) {
      const key = keyOf(unique, after);
      const text = textOf(key);
      if (key === null || known.has(text)) continue;
      if (before === null || text !== textOf(keyOf(unique, before))) unknown.set(text, key);
    }
    if (unknown.size === 0) return;
    const found = await this.#snapshot.holders(this.#proposal.index.type, unique, [
      ...unknown.values(),
    ]);
    for (const text of unknown.keys()) known.set(text, []);
    for (const { id, key } of found) {
      const text = textOf(key);
      known.set(text, [...(known.get(text) ?? []), id]);
    }
  }

  #holderOf(
    row: ProposedRow,
    rows: ReadonlyMap<string, ProposedRow>,
    taken: Taken,
    isGone: (id: string) => boolean,
  ): { readonly unique: UniqueDefinition; readonly id: string } | null {
    for (const unique of this.#proposal.index.uniques) {
      const key = keyOf(unique, row.after);
      if (key === null) continue;
      const text = textOf(key);
      // Two objects may share a value that both had before: a version without the constraint stored them.
      if (row.before !== null && text === textOf(keyOf(unique, row.before))) continue;
      const other = taken.get(`${unique.name}\n${text}`);
      if (other !== undefined && other !== row.id) return { unique, id: other };
      const id = this.#held
        .get(unique.name)
        ?.get(text)
        ?.find((holder) => holder !== row.id && !rows.has(holder) && !isGone(holder));
      if (id !== undefined) return { unique, id };
    }
    return null;
  }

  #refuse(row: ProposedRow, unique: UniqueDefinition, existingId: string): void {
    const properties = unique.properties.map(({ name }) => name);
    const shown = shownNames(unique);
    const names = shown.map(quoted).join(' and ');
    const verb = shown.length === 1 ? 'has' : 'have';
    const why =
      shown.length === 0
        ? `The server would give it the value of ${quoted(existingId)}, which must be unique.`
        : `${names} ${verb} the value of ${quoted(existingId)}, and must be unique.`;
    const error = setError('alreadyExists', why, { existingId });
    const holder = this.#proposal.rows.get(existingId);
    const text = textOf(keyOf(unique, row.after));
    const operation = this.#proposal.blame(row, properties, error);
    if (holder !== undefined) this.#lost.push({ operation, error, unique, text, holder });
  }
}

function notFree(unique: UniqueDefinition): SetError {
  const properties = shownNames(unique);
  const verb = properties.length > 1 ? 'are' : 'is';
  const names =
    properties.length === 0 ? 'A value that it needs' : properties.map(quoted).join(' and ');
  const why = `${names} ${verb} also wanted by an earlier object of this call, which was refused.`;
  return setError('invalidProperties', why, { properties });
}

/** Clients don't know of internal properties: those that they may read of. */
function shownNames({ properties }: UniqueDefinition): readonly string[] {
  return properties.filter(({ access }) => access !== 'internal').map(({ name }) => name);
}

/** Null where one of the values is: null is equal to nothing. */
function keyOf(unique: UniqueDefinition, object: JsonObject): Key | null {
  const key = unique.properties.map(({ name }) => object[name] ?? null);
  return key.includes(null) ? null : key;
}

function textOf(key: Key | null): string {
  return JSON.stringify(key);
}
