import type { DataTypeDefinition } from '../../capability/definition.js';
import type { SetError } from '../../protocol/errors.js';
import type { StoredObject } from '../../store/port.js';
import type { CallContext } from '../context.js';
import type { UnitOfWork } from '../work/unit.js';

/** An object that a call wants to create, update or destroy; nothing of it is written yet. */
export interface WantedObject {
  /** The creation id, or the object's id. */
  readonly key: string;
  /** Null for a create. */
  readonly before: StoredObject | null;
  /** Null for a destroy. */
  readonly after: StoredObject | null;
  /** The first refusal stands. */
  refuse(error: SetError): void;
}

/** Where the logic of hook files joins a /set or /copy: absent where no capability has any. */
export interface SetHooks {
  /** Rows of destroyed objects of the type are read whole, since hooks see them. */
  needsWholeRows(type: DataTypeDefinition): boolean;

  /** The call waits for more than the store: its transaction is its own. */
  isExclusive(type: DataTypeDefinition): boolean;

  /** The object with its own-row computed properties; the object itself where none changes. */
  compute?(type: DataTypeDefinition, object: StoredObject): StoredObject;

  /** Before writes: any of the wanted objects may be refused; the others go on. */
  beforeWrites(
    type: DataTypeDefinition,
    wanted: readonly WantedObject[],
    unit: UnitOfWork,
    context: CallContext,
  ): Promise<void>;

  /** After writes: rows are written, change records are not, so that more can join the unit. */
  afterWrites(type: DataTypeDefinition, unit: UnitOfWork, context: CallContext): Promise<void>;
}
