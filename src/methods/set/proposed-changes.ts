import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import { finish, type Steps, Strides } from '../../runtime/paused-work.js';
import type { StoredObject } from '../../store/port.js';
import { Problems, quoted } from '../issues.js';
import type { TypeIndex } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import type { Author } from './draft.js';
import { octetsOfValues } from './object-octets.js';
import { NO_VALUES, partOwn } from './own-values.js';
import type { PlannedUpdate, Target } from './plan-set.js';
import { type UpdateResult, type UpdateScene, updateObject } from './update.js';

/** One create or update that a call wants. */
export type Operation = CreateOperation | UpdateOperation;

export interface CreateOperation {
  readonly kind: 'create';
  /** Creation id. */
  readonly key: string;
  readonly id: string;
  /** The object as the client sent it, names as declared, even if a hook has replaced it. */
  readonly sent: JsonObject;
  /** Without the values that its user has of its own. */
  readonly object: StoredObject;
  readonly own?: JsonObject;
  /** Why it is refused; null while it is not. */
  error: SetError | null;
}

export interface UpdateOperation extends PlannedUpdate {
  readonly kind: 'update';
  /** As it was applied last; null where that is impossible. */
  effect: Effect | null;
  /** As of a create. */
  error: SetError | null;
}

export interface DestroyOperation extends Target {
  error: SetError | null;
}

interface ProposedUpdate {
  readonly operation: UpdateOperation;
  /** The object as this update left it, and the user's own values. */
  readonly after: StoredObject;
  readonly own: JsonObject;
  readonly changed: readonly string[];
}

/** An object as the call would leave it, were it not for destroys. */
export interface ProposedRow {
  readonly id: string;
  /** As it was before the call; null for a create. */
  readonly before: StoredObject | null;
  readonly after: StoredObject;
  /** The values that the user has of its own after the call. */
  readonly own: JsonObject;
  readonly create: CreateOperation | null;
  /** The last update that changed it, or the values of the user. */
  readonly latest: UpdateOperation | null;
  /** The updates that changed it, and what they changed, computed properties included. */
  readonly updates: readonly ProposedUpdate[];
}

/** An object before and after an operation; `after` leaves out the operation's illegal values. */
interface Effect {
  readonly before: StoredObject;
  readonly after: StoredObject;
}

/** The creates and updates of a call, and the objects as they are, by id. */
interface ProposedOperations {
  readonly creates: readonly CreateOperation[];
  readonly updates: readonly UpdateOperation[];
  readonly before: ReadonlyMap<string, StoredObject>;
}

/** The outcome of an update, with the user's own values apart. */
type OwnResult = UpdateResult & { readonly own: JsonObject };

const NONE: readonly never[] = Object.freeze([]);

/** To compute a property takes as long as to look at so many values. */
const COMPUTED = 16;
const NO_UPDATES: ReadonlyMap<string, never> = new Map<string, never>();

/** How updates are applied. */
export interface ProposingScene extends UpdateScene {
  /** The type as the author of the updates knows it. */
  readonly known: TypeIndex;
}

/**
 * The outcome of a call's creates and updates, less the refused ones. Refusals only grow, so
 * judging by turns comes to an end. Each refusal costs what its object costs, however many others
 * the call has.
 */
export class ProposedChanges {
  readonly index: TypeIndex;
  readonly creates: readonly CreateOperation[];
  readonly updates: readonly UpdateOperation[];
  /** Grows with each operation that is refused once it has been drafted without an error. */
  refusals = 0;
  readonly #scene: ProposingScene;
  /** A patch names what its author knows of the type. */
  readonly #patching: UpdateScene;
  readonly #before: ReadonlyMap<string, StoredObject>;
  readonly #compute: (object: StoredObject) => StoredObject;
  /** Made for the first complaint. */
  #problems: Map<Operation, Problems> | null = null;
  /** Made when it is needed first. */
  #births: ReadonlyMap<string, CreateOperation> | null = null;
  /** By id, each in order. */
  readonly #updates: ReadonlyMap<string, readonly UpdateOperation[]>;
  readonly #rows = new Map<string, ProposedRow>();
  readonly #ownRows = new Map<string, ProposedRow>();

  constructor(
    scene: ProposingScene,
    { creates, updates, before }: ProposedOperations,
    compute: (object: StoredObject) => StoredObject = (object) => object,
  ) {
    this.index = scene.index;
    this.creates = creates;
    this.updates = updates;
    this.#scene = scene;
    this.#patching = { ...scene, index: scene.known };
    this.#before = before;
    this.#compute = compute;
    this.#updates = updates.length === 0 ? NO_UPDATES : updatesById(updates);
  }

  /** Makes the rows, before anything is asked of them. */
  *makeRows(): Steps<void> {
    const strides = new Strides();
    const values = this.index.type.properties.length;
    for (const create of this.creates) {
      if (strides.isOver(values * COMPUTED)) yield;
      const row = this.#begin(create.id, create);
      if (this.#updates.has(create.id)) yield* this.#applyUpdates(create.id, row);
      else if (row !== null) this.#keep(create.id, row);
    }
    // An object that is created and updated has its place among the creates.
    for (const id of this.#updates.keys()) {
      if (this.#rows.has(id)) continue;
      yield;
      yield* this.#applyUpdates(id, this.#begin(id, null));
    }
  }

  /** Puts the rows into the unit. The first update of a singleton without a row inserts it. */
  writeTo(unit: UnitOfWork, isStored: boolean): void {
    const { type } = this.index;
    for (const { before, after } of this.#rows.values()) {
      if (before === null) unit.create(type, after);
      else unit.update(type, before, after, isStored ? before : null);
    }
  }

  /** Returns who wants the changes: a client, or a hook. */
  get author(): Author {
    return this.#scene.author;
  }

  /** Returns the call's creates by the ids that they have if they come to be. */
  get births(): ReadonlyMap<string, CreateOperation> {
    this.#births ??= new Map(this.creates.map((create) => [create.id, create]));
    return this.#births;
  }

  /**
   * Returns the objects that the call makes or changes, by id: creates first, then updates, each in
   * order. A refused one goes at once, also while a caller walks them.
   */
  get rows(): ReadonlyMap<string, ProposedRow> {
    return this.#rows;
  }

  /** Returns the others of which the user's own values alone change. */
  get ownRows(): ReadonlyMap<string, ProposedRow> {
    return this.#ownRows;
  }

  /** Returns by how many octets the user's own values grow. */
  valueGrowth({ id, own }: ProposedRow): number {
    const { type } = this.index;
    const before = this.#scene.own?.before(id) ?? NO_VALUES;
    return own === before ? 0 : octetsOfValues(type, own) - octetsOfValues(type, before);
  }

  /**
   * Returns whether there is such an object of the type after the call, as far as is known here.
   */
  holds(id: string): boolean {
    return this.#rows.has(id) || this.#before.has(id);
  }

  /** The first error stands. */
  refuse(operation: Operation, error: SetError): void {
    if (operation.error !== null) return;
    this.#deny(operation, error);
    this.#applyAgain(operation.id);
  }

  /** Refuses and returns the last update that gave the row these values, or else the create. */
  blame(row: ProposedRow, names: readonly string[], error: SetError): Operation {
    const guilty = this.#guilty(row, names);
    this.refuse(guilty, error);
    return guilty;
  }

  /**
   * Refuses likewise with `invalidProperties`, and makes one error of several complaints about an
   * operation. An update that fell with its create in the same turn stays `notFound`. `causes` are
   * the properties whose change may have made the fault.
   */
  complain(row: ProposedRow, name: string, what: string, causes: readonly string[] = [name]): void {
    const operation = this.#guilty(row, causes);
    this.#problems ??= new Map();
    const known = this.#problems.get(operation);
    if (known === undefined && operation.error !== null) return;
    const problems = known ?? new Problems();
    problems.add(name, what);
    this.#problems.set(operation, problems);
    this.#deny(operation, problems.toSetError());
    this.#applyAgain(operation.id);
  }

  #deny(operation: Operation, error: SetError): void {
    operation.error = error;
    this.refusals += 1;
  }

  #guilty(row: ProposedRow, names: readonly string[]): Operation {
    const last = row.updates.findLast(({ changed }) => changed.some((one) => names.includes(one)));
    const guilty = last?.operation ?? row.create ?? row.updates.at(-1)?.operation;
    // Judges go on until nothing is left to refuse. If nobody can be refused, they would never end.
    if (guilty === undefined) throw new Error(`Nothing in the call has changed ${row.id}.`);
    return guilty;
  }

  #applyAgain(id: string): void {
    const begun = this.#resume(id) ?? this.#begin(id, this.births.get(id) ?? null);
    finish(this.#applyUpdates(id, begun));
  }

  /**
   * Returns the row as the updates before the first refused one left it; null where there are none.
   */
  #resume(id: string): ProposedRow | null {
    const row = this.#rows.get(id);
    if (row === undefined || (row.create?.error ?? null) !== null) return null;
    const at = row.updates.findIndex(({ operation }) => operation.error !== null);
    const updates = at === -1 ? row.updates : row.updates.slice(0, at);
    const last = updates.at(-1);
    if (last === undefined) return null;
    const { operation: latest, after, own } = last;
    return { ...row, after, own, latest, updates };
  }

  /** Applies the updates of one object that come after the last one in `begun`. */
  *#applyUpdates(id: string, begun: ProposedRow | null): Steps<void> {
    let row = begun;
    const operations: readonly UpdateOperation[] = this.#updates.get(id) ?? NONE;
    const last = begun?.updates.at(-1)?.operation;
    const first = last === undefined ? 0 : operations.indexOf(last) + 1;
    for (let at = first; at < operations.length; at += 1) {
      const operation = operations[at];
      if (operation === undefined || operation.error !== null) continue;
      if (row === null || operation.refused !== null) {
        this.#deny(operation, (row && operation.refused) ?? notFound(operation.key));
        continue;
      }
      const current = this.#scene.own?.shown(row.after, row.own) ?? row.after;
      const { patch } = operation;
      const updated = yield* updateObject(this.#patching, current, patch, operation);
      const result = this.#partOwn(row, patch, updated);
      if (result.kind === 'unchanged') {
        if (result.own !== row.own) row = { ...row, own: result.own, latest: operation };
        continue;
      }
      operation.effect = result.object && { before: row.after, after: result.object };
      if (result.kind === 'refused') {
        this.#deny(operation, result.error);
        continue;
      }
      const { object, own } = result;
      row = { ...row, own, latest: operation };
      if (result.changed.length === 0) continue;
      const after = this.#compute(object);
      const computed = this.index.computed.filter(({ name }) => after[name] !== object[name]);
      const changed =
        computed.length === 0
          ? result.changed
          : [...result.changed, ...computed.map(({ name }) => name)];
      row = { ...row, after, updates: [...row.updates, { operation, after, own, changed }] };
    }
    this.#keep(id, row);
  }

  /** Keeps a row that differs from the object. An update of the user's own values makes none. */
  #keep(id: string, row: ProposedRow | null): void {
    this.#scene.own?.keep(id, row?.own ?? null);
    const isSame = row === null || (row.create === null && row.updates.length === 0);
    if (isSame) this.#rows.delete(id);
    else this.#rows.set(id, row);
    if (isSame && row !== null && row.latest !== null) this.#ownRows.set(id, row);
    else this.#ownRows.delete(id);
  }

  /** Takes the user's own values out of what an update has made of an object. */
  #partOwn({ own: before }: ProposedRow, patch: JsonObject, result: UpdateResult): OwnResult {
    const { own } = this.#scene;
    if (own === undefined) return { ...result, own: before };
    if (result.kind === 'unchanged') return { ...result, own: own.restored(before, patch) };
    if (result.object === null) return { ...result, own: before };
    const { object } = partOwn(this.index.type, result.object);
    if (result.kind === 'refused') return { ...result, object, own: before };
    const changed = own.shared(result.changed);
    const after = own.valuesAfter(before, result.object, result.changed);
    return { ...result, object, changed, own: own.restored(after, patch) };
  }

  #begin(id: string, create: CreateOperation | null): ProposedRow | null {
    if (create === null) {
      const before = this.#before.get(id) ?? null;
      if (before === null) return null;
      const own = this.#scene.own?.before(id) ?? NO_VALUES;
      return { id, before, after: before, own, create, latest: null, updates: NONE };
    }
    if (create.error !== null) return null;
    const { own = NO_VALUES } = create;
    const after = this.#compute(create.object);
    return { id, before: null, after, own, create, latest: null, updates: NONE };
  }
}

function updatesById(
  updates: readonly UpdateOperation[],
): ReadonlyMap<string, readonly UpdateOperation[]> {
  const byId = new Map<string, UpdateOperation[]>();
  for (const update of updates) {
    const known = byId.get(update.id);
    if (known === undefined) byId.set(update.id, [update]);
    else known.push(update);
  }
  return byId;
}

export function notFound(key: string): SetError {
  return setError('notFound', `There is no object ${quoted(key)}.`);
}
