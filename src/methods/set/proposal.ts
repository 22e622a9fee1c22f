import type { PropertyDefinition } from '../../capability/definition.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { quoted } from '../issues.js';
import type { TypeIndex } from '../type-index.js';
import { Problems } from './problems.js';
import { type UpdateScene, updateObject } from './update.js';

/** One create or update that a call wants. */
export type Operation = CreateOperation | UpdateOperation;

export interface CreateOperation {
  readonly kind: 'create';
  /** Creation id. */
  readonly key: string;
  readonly id: string;
  readonly object: StoredObject;
}

export interface UpdateOperation {
  readonly kind: 'update';
  /** As sent: an id, or "#" and a creation id. */
  readonly key: string;
  readonly id: string;
  readonly patch: JsonObject;
  /** What is stored of secrets in the place of what the patch says. */
  readonly sealed?: ReadonlyMap<string, string>;
}

/** An object as the call would leave it, were it not for destroys. */
export interface ProposedRow {
  readonly id: string;
  /** As it was before the call; null for a create. */
  readonly before: StoredObject | null;
  after: StoredObject;
  readonly create: CreateOperation | null;
  /** The updates that changed it, and what they changed, computed properties included. */
  readonly updates: { readonly operation: UpdateOperation; readonly changed: readonly string[] }[];
}

/**
 * What a call's creates and updates come to, less those that are refused. Refusals only grow, so
 * judging by turns comes to an end.
 */
export class Proposal {
  readonly index: TypeIndex;
  readonly refused = new Map<Operation, SetError>();
  readonly #scene: UpdateScene;
  readonly #creates: readonly CreateOperation[];
  readonly #updates: readonly UpdateOperation[];
  readonly #before: ReadonlyMap<string, StoredObject>;
  readonly #compute: (object: StoredObject) => StoredObject;
  /** What `compute` may change. */
  readonly #computed: readonly PropertyDefinition[];
  readonly #problems = new Map<Operation, Problems>();
  #rows: ReadonlyMap<string, ProposedRow> | null = null;

  constructor(
    scene: UpdateScene,
    creates: readonly CreateOperation[],
    updates: readonly UpdateOperation[],
    before: ReadonlyMap<string, StoredObject>,
    compute: (object: StoredObject) => StoredObject = (object) => object,
  ) {
    this.index = scene.index;
    this.#scene = scene;
    this.#creates = creates;
    this.#updates = updates;
    this.#before = before;
    this.#compute = compute;
    this.#computed = scene.index.type.properties.filter(
      ({ computed }) => computed?.kind === 'from',
    );
  }

  get creates(): readonly CreateOperation[] {
    return this.#creates;
  }

  get updates(): readonly UpdateOperation[] {
    return this.#updates;
  }

  /** By id: creates first, then updates, each in order. */
  get rows(): ReadonlyMap<string, ProposedRow> {
    this.#rows ??= this.#fold();
    return this.#rows;
  }

  refuse(operation: Operation, error: SetError): void {
    if (this.refused.has(operation)) return;
    this.refused.set(operation, error);
    this.#rows = null;
  }

  /** Refuses what gave the row these properties their values: the last update that did, or the create. */
  blame(row: ProposedRow, names: readonly string[], error: SetError): void {
    this.refuse(this.#guilty(row, names), error);
  }

  /** The same with `invalidProperties`; several complaints about one operation become one error. */
  complain(row: ProposedRow, name: string, what: string): void {
    const operation = this.#guilty(row, [name]);
    const problems = this.#problems.get(operation) ?? new Problems();
    problems.add(name, what);
    this.#problems.set(operation, problems);
    this.refused.set(operation, problems.toSetError());
    this.#rows = null;
  }

  #guilty(row: ProposedRow, names: readonly string[]): Operation {
    const last = row.updates.findLast(({ changed }) => changed.some((one) => names.includes(one)));
    const guilty = last?.operation ?? row.create ?? row.updates.at(-1)?.operation;
    // Judges go on until nothing is left to refuse: where nobody can be refused they would for ever.
    if (guilty === undefined) throw new Error(`Nothing in the call has changed ${row.id}.`);
    return guilty;
  }

  #fold(): ReadonlyMap<string, ProposedRow> {
    const rows = new Map<string, ProposedRow>();
    for (const create of this.#creates) {
      if (this.refused.has(create)) continue;
      const { id, object } = create;
      rows.set(id, { id, before: null, after: this.#compute(object), create, updates: [] });
    }
    for (const operation of this.#updates) {
      if (this.refused.has(operation)) continue;
      const { id, key, patch, sealed } = operation;
      const before = this.#before.get(id) ?? null;
      const row = rows.get(id) ?? newRow(id, before);
      if (row === null) {
        this.refused.set(operation, notFound(key));
        continue;
      }
      const result = updateObject(this.#scene, row.after, patch, sealed);
      if (result.kind === 'refused') this.refused.set(operation, result.error);
      if (result.kind !== 'changed') continue;
      const { object } = result;
      row.after = this.#compute(object);
      const computed = this.#computed.filter(({ name }) => row.after[name] !== object[name]);
      const changed = [...result.changed, ...computed.map(({ name }) => name)];
      row.updates.push({ operation, changed });
      rows.set(id, row);
    }
    return rows;
  }
}

export function notFound(key: string): SetError {
  return setError('notFound', `There is no object ${quoted(key)}.`);
}

function newRow(id: string, before: StoredObject | null): ProposedRow | null {
  return before === null ? null : { id, before, after: before, create: null, updates: [] };
}
