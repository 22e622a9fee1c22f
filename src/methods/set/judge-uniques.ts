import type { UniqueDefinition } from '../../capability/definition.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import type { Snapshot, View } from '../../store/port.js';
import { quoted } from '../issues.js';
import type { Operation, ProposedChanges, ProposedRow } from './proposed-changes.js';
import { push } from './relations.js';
import { findVisible } from './visible-ids.js';

type Values = readonly JsonValue[];

/** A key of a row: its values of the properties that are unique together. */
interface Key {
  readonly unique: UniqueDefinition;
  readonly values: Values;
  /** Of the constraint and the values. */
  readonly text: string;
  /** Whether the object had it before the call. */
  readonly isKept: boolean;
}

/** An operation that was refused because another object has its value. */
interface Loser extends Collision {
  readonly operation: Operation;
  readonly error: SetError;
  /** The other one as it was judged then; undefined where the call doesn't change it. */
  readonly holder: ProposedRow | undefined;
}

/** Another object has the key. */
interface Collision {
  readonly unique: UniqueDefinition;
  readonly text: string;
  readonly existingId: string;
}

/**
 * Judges uniqueness after the whole call (RFC 8620 5.3: two objects may swap names). If objects
 * collide, the later ones in order of creates and updates lose.
 */
export class UniqueJudge {
  readonly #changes: ProposedChanges;
  readonly #snapshot: Snapshot;
  /** By key: ids of the objects that the database has with it. */
  readonly #stored = new Map<string, string[]>();
  readonly #losers: Loser[] = [];
  /** Null: the user sees all objects of the type. */
  readonly #view: View | null;
  /** The objects of `#stored` that the user doesn't see. */
  readonly #hidden = new Set<string>();

  constructor(changes: ProposedChanges, snapshot: Snapshot, view: View | null) {
    this.#changes = changes;
    this.#snapshot = snapshot;
    this.#view = view;
  }

  /** Refuses those that collide; true where it did. `isGone`: the call destroys the object. */
  async judge(isGone: (id: string) => boolean): Promise<boolean> {
    const { index, rows, refusals } = this.#changes;
    if (index.uniques.length === 0) return false;
    await this.#lookUp();
    /** By key: which object of the call has it. */
    const owners = new Map<string, string>();
    // Objects that keep what they had come first: nobody can take it from them.
    for (const row of rows.values()) {
      if (isGone(row.id)) continue;
      for (const { text, isKept } of this.#keysOf(row)) if (isKept) owners.set(text, row.id);
    }
    const waiting = [...rows.keys()];
    for (const id of waiting) {
      const row = rows.get(id);
      if (row === undefined || isGone(id)) continue;
      const collision = this.#collisionOf(row, owners, isGone);
      if (collision === null) {
        for (const { text } of this.#keysOf(row)) owners.set(text, id);
        continue;
      }
      this.#refuse(row, collision);
      const { before } = row;
      if (before === null) continue;
      // A refused update keeps its old value, so an object that took it is judged again, and so on.
      for (const { text, isKept } of this.#keysOf(rows.get(id) ?? { before, after: before })) {
        if (!isKept) continue;
        const other = owners.get(text) ?? id;
        if (other !== id) waiting.push(other);
        owners.set(text, id);
      }
    }
    return this.#changes.refusals > refusals;
  }

  /**
   * Corrects errors: `alreadyExists` names an object that is there with the value (5.3). If the
   * call's own object that had it was refused, the loser's error says that its value was not free
   * in this call. If both are creates and the quota refused the other one, the loser goes beyond
   * the quota, too, and its error says that instead. If the other object goes, since a refusal
   * brought it below what is destroyed, the error names no id.
   */
  retell(isGone: (id: string) => boolean): void {
    const { rows, creates } = this.#changes;
    for (const { operation, error, unique, text, existingId, holder } of this.#losers) {
      if (operation.error !== error) continue;
      if (isGone(existingId)) operation.error = notFree(unique, BY_GONE);
      if (holder === undefined || isGone(existingId)) continue;
      const now = rows.get(holder.id)?.after ?? holder.before;
      if (now !== null && textOf(unique, valuesOf(unique, now)) === text) continue;
      const first = creates.find(({ id }) => id === holder.id);
      const why = first?.error ?? null;
      const isOver = why?.type === 'overQuota' && operation.kind === 'create';
      operation.error = isOver ? why : notFree(unique, BY_REFUSED);
    }
  }

  #keysOf({ before, after }: Pick<ProposedRow, 'before' | 'after'>): readonly Key[] {
    return this.#changes.index.uniques.flatMap((unique) => {
      const values = valuesOf(unique, after);
      if (values === null) return [];
      const text = textOf(unique, values);
      const isKept = before !== null && text === textOf(unique, valuesOf(unique, before));
      return [{ unique, values, text, isKept }];
    });
  }

  /** One statement for each constraint. */
  async #lookUp(): Promise<void> {
    const { index, rows } = this.#changes;
    const unknown = new Map<UniqueDefinition, Values[]>();
    for (const row of rows.values()) {
      for (const { unique, values, text, isKept } of this.#keysOf(row)) {
        if (isKept || this.#stored.has(text)) continue;
        this.#stored.set(text, []);
        push(unknown, unique, values);
      }
    }
    for (const [unique, keys] of unknown) {
      const found = await this.#snapshot.holders(index.type, unique, keys);
      for (const { id, key } of found) push(this.#stored, textOf(unique, key), id);
      if (this.#view === null) continue;
      const ids = found.map(({ id }) => id);
      const visible = await findVisible(this.#snapshot, index.type, this.#view, ids);
      for (const id of ids) if (!visible.has(id)) this.#hidden.add(id);
    }
  }

  #collisionOf(
    row: ProposedRow,
    owners: ReadonlyMap<string, string>,
    isGone: (id: string) => boolean,
  ): Collision | null {
    const { rows } = this.#changes;
    for (const { unique, text, isKept } of this.#keysOf(row)) {
      // Two objects may both have had a value before: a version without the constraint stored them.
      if (isKept) continue;
      const owner = owners.get(text);
      if (owner !== undefined && owner !== row.id) return { unique, text, existingId: owner };
      const existingId = this.#stored
        .get(text)
        ?.find((id) => id !== row.id && !rows.has(id) && !isGone(id));
      if (existingId !== undefined) return { unique, text, existingId };
    }
    return null;
  }

  #refuse(row: ProposedRow, collision: Collision): void {
    const { unique, existingId } = collision;
    const properties = unique.properties.map(({ name }) => name);
    const shown = shownNames(unique);
    const names = shown.map(quoted).join(' and ');
    const verb = shown.length === 1 ? 'has' : 'have';
    const why =
      shown.length === 0
        ? `The server would give it the value of ${quoted(existingId)}, which must be unique.`
        : `${names} ${verb} the value of ${quoted(existingId)}, and must be unique.`;
    const error = this.#hidden.has(existingId)
      ? notFree(unique, BY_HIDDEN)
      : setError('alreadyExists', why, { existingId });
    const holder = this.#changes.rows.get(existingId);
    const operation = this.#changes.blame(row, properties, error);
    this.#losers.push({ ...collision, operation, error, holder });
  }
}

const BY_HIDDEN = 'not free: another value is needed';
const BY_REFUSED = 'also wanted by an earlier object of this call, which was refused';
const BY_GONE =
  'held by an object that went with what this call has destroyed, and free from now on';

function notFree(unique: UniqueDefinition, why: string): SetError {
  const properties = shownNames(unique);
  const verb = properties.length > 1 ? 'are' : 'is';
  const names =
    properties.length === 0 ? 'A value that it needs' : properties.map(quoted).join(' and ');
  return setError('invalidProperties', `${names} ${verb} ${why}.`, { properties });
}

/** Clients don't know of internal properties: those that they may read of. */
function shownNames({ properties }: UniqueDefinition): readonly string[] {
  return properties.filter(({ access }) => access !== 'internal').map(({ name }) => name);
}

/** Returns null where one of the values is, unless null equals null: it is equal to nothing. */
function valuesOf(unique: UniqueDefinition, object: JsonObject): Values | null {
  const values = unique.properties.map(({ name }) => object[name] ?? null);
  return values.includes(null) && unique.nullsEqual !== true ? null : values;
}

function textOf(unique: UniqueDefinition, values: Values | null): string {
  return `${unique.name}\n${JSON.stringify(values)}`;
}
