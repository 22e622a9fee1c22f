import type { SetResponse } from '../../capability/standard.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import type { ChangeKind, StoredObject, Transaction } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { clock, formatState, requireState } from '../states.js';
import type { TypeIndex } from '../type-index.js';
import { blobIdsOf, ReferenceChanges, type UsableBlobs, usableBlobs } from './blobs.js';
import { creationReport, newObject, refusal } from './create.js';
import type { PlannedUpdate, SetPlan } from './plan.js';
import { SetReport } from './report.js';
import { updateObject } from './update.js';

/** Octets of existing objects that one call may have in memory at once. */
export const WORKING_OCTETS = 100_000_000;

/**
 * One /set in its transaction. What exists is read, creates, updates and destroys are judged in
 * that order in memory, then all is written: a fixed number of the port's operations.
 */
export class SetRun {
  readonly #index: TypeIndex;
  readonly #plan: SetPlan;
  readonly #context: CallContext;
  readonly #transaction: Transaction;
  readonly #report = new SetReport();
  /** Creation id to id, of this call. */
  readonly #createdIds = new Map<string, string>();
  /** Objects made by this call that it hasn't destroyed. */
  readonly #created = new Map<string, StoredObject>();
  /** Rows before and after this call's updates. */
  readonly #before = new Map<string, StoredObject>();
  readonly #updated = new Map<string, StoredObject>();
  /** Rows to destroy: blob properties alone. */
  readonly #doomed = new Map<string, StoredObject>();
  readonly #changes: { readonly objectId: string; readonly kind: ChangeKind }[] = [];

  constructor(index: TypeIndex, plan: SetPlan, context: CallContext, transaction: Transaction) {
    this.#index = index;
    this.#plan = plan;
    this.#context = context;
    this.#transaction = transaction;
  }

  async run(ifInState: string | null | undefined): Promise<SetResponse> {
    const { type } = this.#index;
    const oldState = await this.#transaction.stateNumber(type);
    requireState('ifInState', ifInState, oldState);
    const blobs = await usableBlobs(
      this.#transaction,
      this.#blobIds(),
      this.#context.request.principal.userId,
    );
    this.#create(blobs);
    const updates = this.#targets(this.#plan.updates, ({ key }) => key);
    const destroys = this.#targets(this.#plan.destroys, (key) => key);
    await this.#read(updates, destroys);
    this.#update(updates, destroys, blobs);
    this.#destroy(destroys);
    const newState = await this.#write(oldState);
    const response = this.#report.toResponse(
      accountOf(this.#context).id,
      formatState(oldState),
      formatState(newState),
    );
    this.#context.admit(response, this.#createdIds);
    return response;
  }

  /** Every blob id that the call may put on an object. */
  #blobIds(): ReadonlySet<string> {
    const ids = new Set<string>();
    if (this.#index.blobs.length === 0) return ids;
    const { createdIds } = this.#context.request;
    for (const draft of this.#plan.creates.values()) {
      for (const id of blobIdsOf(this.#index, draft.values)) ids.add(id);
    }
    for (const { patch } of this.#plan.updates) {
      if (patch.kind === 'refused') continue;
      for (const text of blobIdsOf(this.#index, patch.object)) {
        ids.add(resolveId(text, createdIds) ?? text);
      }
    }
    return ids;
  }

  #create(blobs: UsableBlobs): void {
    for (const [creationId, draft] of this.#plan.creates) {
      const refused = refusal(this.#index, draft, blobs);
      if (refused !== null) {
        this.#report.notCreated.set(creationId, refused);
        continue;
      }
      const object = newObject(this.#index, draft.values, this.#context.services.ids.next('r'));
      this.#createdIds.set(creationId, object.id);
      this.#created.set(object.id, object);
      this.#changes.push({ objectId: object.id, kind: 'created' });
      this.#report.created.set(creationId, creationReport(draft.sent, object));
    }
  }

  /**
   * What each entry is about, once the creates have been made: "#" and a creation id may be of this
   * call.
   */
  #targets<T>(entries: readonly T[], keyOf: (entry: T) => string): readonly Target<T>[] {
    return entries.map((entry) => {
      const key = keyOf(entry);
      const id = resolveId(key, this.#createdIds, this.#context.request.createdIds);
      return { entry, key, id };
    });
  }

  async #read(
    updates: readonly Target<unknown>[],
    destroys: readonly Target<unknown>[],
  ): Promise<void> {
    const { type, blobs } = this.#index;
    const load = async (
      targets: readonly Target<unknown>[],
      properties: TypeIndex['blobs'],
      rows: Map<string, StoredObject>,
    ): Promise<void> => {
      const ids = new Set<string>();
      for (const { id } of targets) if (id !== null && !this.#created.has(id)) ids.add(id);
      if (ids.size === 0) return;
      const found = await this.#transaction.get(type, [...ids], properties, WORKING_OCTETS);
      for (const row of found) rows.set(row.id, row);
    };
    await load(updates, type.properties, this.#before);
    await load(destroys, blobs, this.#doomed);
  }

  #update(
    updates: readonly Target<PlannedUpdate>[],
    destroys: readonly Target<string>[],
    blobs: UsableBlobs,
  ): void {
    const destroyed = new Set(destroys.map(({ id }) => id));
    const scene = {
      index: this.#index,
      createdIds: this.#context.request.createdIds,
      blobs,
      now: clock(this.#context.services),
    };
    for (const { entry, key, id } of updates) {
      const current = id === null ? undefined : this.#current(id);
      if (id === null || current === undefined) {
        this.#report.notUpdated.set(key, notFound(key));
      } else if (destroyed.has(id)) {
        const why = 'The same call destroys the object.';
        this.#report.notUpdated.set(key, setError('willDestroy', why));
      } else if (entry.patch.kind === 'refused') {
        this.#report.notUpdated.set(key, entry.patch.error);
      } else {
        const result = updateObject(scene, current, entry.patch.object);
        if (result.kind === 'refused') this.#report.notUpdated.set(key, result.error);
        else if (result.kind === 'unchanged') this.#report.addUpdate(id, null);
        else this.#keep(id, result.object, result.report);
      }
    }
  }

  /** The object as this call has left it so far. */
  #current(id: string): StoredObject | undefined {
    return this.#created.get(id) ?? this.#updated.get(id) ?? this.#before.get(id);
  }

  /** D8: an object created and updated in one call is one record. */
  #keep(id: string, object: StoredObject, report: JsonObject): void {
    this.#report.addUpdate(id, report);
    if (this.#created.has(id)) {
      this.#created.set(id, object);
      return;
    }
    if (!this.#updated.has(id)) this.#changes.push({ objectId: id, kind: 'updated' });
    this.#updated.set(id, object);
  }

  #destroy(destroys: readonly Target<string>[]): void {
    const done = new Set<string>();
    for (const { key, id } of destroys) {
      // The same object by its id and by its creation id: it counts once.
      if (id !== null && done.has(id)) continue;
      if (id === null || !(this.#created.has(id) || this.#doomed.has(id))) {
        this.#report.notDestroyed.set(key, notFound(key));
        continue;
      }
      done.add(id);
      this.#created.delete(id);
      this.#changes.push({ objectId: id, kind: 'destroyed' });
      this.#report.destroyed.push(id);
    }
  }

  /** Writes what was decided; the state after it. */
  async #write(oldState: number): Promise<number> {
    const { type } = this.#index;
    const references = new ReferenceChanges(this.#index);
    const created = [...this.#created.values()];
    const updated = [...this.#updated.values()];
    for (const object of created) references.note(object.id, null, object);
    for (const object of updated) {
      references.note(object.id, this.#before.get(object.id) ?? null, object);
    }
    for (const object of this.#doomed.values()) references.note(object.id, object, null);
    if (created.length > 0) await this.#transaction.insert(type, created);
    if (updated.length > 0) await this.#transaction.update(type, updated);
    if (this.#doomed.size > 0) await this.#transaction.destroy(type, [...this.#doomed.keys()]);
    if (references.any) {
      await this.#transaction.changeBlobReferences(references.removed, references.added);
    }
    if (this.#changes.length === 0) return oldState;
    return this.#transaction.record(type, this.#changes);
  }
}

/**
 * An entry of `update` or `destroy` and the object that it is about; null where nothing was created
 * so.
 */
interface Target<T> {
  readonly entry: T;
  /** As sent. */
  readonly key: string;
  readonly id: string | null;
}

function notFound(key: string): SetError {
  return setError('notFound', `There is no object ${quoted(key)}.`);
}
