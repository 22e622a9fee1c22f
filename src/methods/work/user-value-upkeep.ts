import type { DataTypeDefinition } from '../../capability/definition.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Slices } from '../../runtime/slices.js';
import type { OwnChange, StoredObject, Transaction, ValuesById } from '../../store/port.js';
import { batchesOf } from './batches.js';

/** The user's own values of an object, as a unit of work leaves them. */
export interface OwnMove {
  readonly id: string;
  readonly values: JsonObject;
  /** Columns of the properties that changed. */
  readonly columns: readonly string[];
  /** The user's views that see the object (capability/own-scopes.ts). */
  readonly scopes: readonly string[];
}

/** The unit of work, as far as values of its user need it. */
export interface UnitOfUser {
  readonly slices: Slices;
  readonly transaction: Pick<Transaction, 'recordOwn'>;
  current(type: DataTypeDefinition, id: string): StoredObject | null | undefined;
  isNew(type: DataTypeDefinition, id: string): boolean;
  /** Changes the values of a user, and counts it where a quota does. */
  writeUserValues(type: DataTypeDefinition, userId: string, values: ValuesById): Promise<void>;
}

interface TypeMoves {
  readonly type: DataTypeDefinition;
  readonly moves: OwnMove[];
  isWritten: boolean;
}

/** Writes the values that the user of a unit of work has of its own, and their change records. */
export class UserValueUpkeep {
  readonly #unit: UnitOfUser;
  readonly #userId: string;
  readonly #types = new Map<string, TypeMoves>();

  constructor(unit: UnitOfUser, userId: string) {
    this.#unit = unit;
    this.#userId = userId;
  }

  note(type: DataTypeDefinition, moves: readonly OwnMove[]): void {
    if (moves.length === 0) return;
    const known = this.#types.get(type.name) ?? { type, moves: [], isWritten: false };
    known.moves.push(...moves);
    known.isWritten = false;
    this.#types.set(type.name, known);
  }

  /** Returns the number of change records that `record` will write of the type. */
  countRecords(type: DataTypeDefinition): number {
    return this.#changesOf(type).length;
  }

  /** Writes rows: one statement for each type, more where they are large. */
  async flush(): Promise<void> {
    for (const work of this.#types.values()) {
      if (work.isWritten) continue;
      work.isWritten = true;
      const { type, moves } = work;
      const there = moves.filter(({ id }) => this.#unit.current(type, id) !== null);
      for (const batch of batchesOf(there.map(({ id, values }) => ({ ...values, id })))) {
        if (this.#unit.slices.isOver()) await this.#unit.slices.next();
        const values = new Map(batch.map(({ id, ...own }) => [id, own]));
        await this.#unit.writeUserValues(type, this.#userId, values);
      }
    }
  }

  /** Writes change records. A new object needs none: its creation is told. */
  async record(): Promise<void> {
    for (const { type } of this.#types.values()) {
      const changes = this.#changesOf(type);
      if (changes.length > 0) await this.#unit.transaction.recordOwn(type, changes);
    }
  }

  #changesOf(type: DataTypeDefinition): readonly OwnChange[] {
    const moves = this.#types.get(type.name)?.moves ?? [];
    return moves
      .filter(({ id }) => !this.#unit.isNew(type, id) && this.#unit.current(type, id) !== null)
      .map(({ id, columns, scopes }) => ({ objectId: id, columns, scopes }));
  }
}
