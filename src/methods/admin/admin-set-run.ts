import {
  type DirectoryObject,
  type DirectoryTransaction,
  RefusedError,
} from '../../accounts/admin-port.js';
import type { SetResponse } from '../../capability/standard.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import { requireTime } from '../../runtime/deadlines.js';
import { finish } from '../../runtime/paused-work.js';
import { runInSlices, type Slices } from '../../runtime/slices.js';
import { accountOf } from '../accounts.js';
import type { CallContext, CreatedIds } from '../context.js';
import { newObject, type PlannedCreate, refusal } from '../set/draft.js';
import type { PlannedUpdate, SetPlan } from '../set/plan-set.js';
import { notFound } from '../set/proposed-changes.js';
import { creationReport, dropEqual, expectedBy, updateReport } from '../set/report.js';
import { updateObject } from '../set/update.js';
import { clock, formatState, requireState } from '../states.js';
import { judgeNames, withIds } from './judge-names.js';

export interface AdminSetScene {
  readonly plan: SetPlan;
  readonly context: CallContext;
  readonly transaction: DirectoryTransaction;
}

/** One /set on the directory within its transaction: creates, then updates, then destroys. */
export class AdminSetRun {
  readonly #scene: AdminSetScene;
  readonly #slices: Slices;
  /** By id: the objects that the call names, as they are by then. */
  readonly #known = new Map<string, DirectoryObject>();
  /** The id that an object got, by the one that the plan gave it. */
  readonly #born = new Map<string, string>();
  readonly #created = new Map<string, string>();
  readonly #answer = {
    created: emptyObject<JsonObject>(),
    updated: emptyObject<JsonObject | null>(),
    destroyed: [] as string[],
    notCreated: emptyObject<SetError>(),
    notUpdated: emptyObject<SetError>(),
    notDestroyed: emptyObject<SetError>(),
  };

  constructor(scene: AdminSetScene) {
    this.#scene = scene;
    this.#slices = scene.context.startSlices(true);
  }

  get createdIds(): CreatedIds {
    return this.#created;
  }

  /** Makes all changes; resolves to the response. Throws `stateMismatch`. */
  async apply(ifInState: string | null | undefined): Promise<SetResponse> {
    const { plan, context, transaction } = this.#scene;
    const before = await transaction.state();
    requireState('ifInState', ifInState, formatState(before));
    for (const create of plan.creates) await this.#create(create);
    const named = new Set([...plan.updates, ...plan.destroys].map(({ id }) => id));
    const others = [...named].filter((id) => !this.#born.has(id));
    if (others.length > 0)
      for (const object of await transaction.find(others)) this.#known.set(object.id, object);
    const going = new Set(plan.destroys.map(({ id }) => this.#idOf(id)));
    for (const update of plan.updates) {
      const isGoing = going.has(this.#idOf(update.id)) && this.#known.has(this.#idOf(update.id));
      const error = isGoing ? WILL_GO : await this.#update(update);
      if (error !== null) this.#answer.notUpdated[update.key] = error;
    }
    for (const { key, id } of plan.destroys) {
      const error = await this.#destroy(key, this.#idOf(id));
      if (error !== null) this.#answer.notDestroyed[key] = error;
    }
    const after = await transaction.state();
    const states = { oldState: formatState(before), newState: formatState(after) };
    return { accountId: accountOf(context).id, ...states, ...this.#outcome() };
  }

  #idOf(planned: string): string {
    return this.#born.get(planned) ?? planned;
  }

  async #create({ key, draft, birth }: PlannedCreate): Promise<void> {
    const { plan, context, transaction } = this.#scene;
    requireTime(context.deadline);
    const values = withIds(draft.values, context.request.createdIds);
    const object = newObject(plan.index, values, birth);
    const error = refusal(draft) ?? judgeNames(object, context.services.registry);
    const made = error === null ? await attempt(() => transaction.create(object)) : { error };
    if ('error' in made) {
      this.#answer.notCreated[key] = made.error;
      return;
    }
    const { object: created, secrets } = made.value;
    this.#born.set(birth.id, created.id);
    this.#created.set(key, created.id);
    this.#known.set(created.id, created);
    const report = finish(dropEqual(creationReport(plan.index, draft.sent, created)));
    this.#answer.created[key] = { ...report, ...secrets };
  }

  /** Resolves to why the update is refused; null where it is made. */
  async #update({ key, id: planned, patch, sent, refused }: PlannedUpdate) {
    const { plan, context, transaction } = this.#scene;
    requireTime(context.deadline);
    const before = this.#known.get(this.#idOf(planned));
    if (before === undefined) return notFound(key);
    if (refused !== null) return refused;
    const { index, createdIds, author } = plan;
    const scene = { index, createdIds, author, now: clock(context.services) };
    const result = await runInSlices(updateObject(scene, before, patch), this.#slices);
    if (result.kind === 'refused') return result.error;
    let after = before;
    if (result.kind === 'changed') {
      const update = { before, after: result.object, changed: result.changed };
      const made = await attempt(() => transaction.update(update));
      if ('error' in made) return made.error;
      after = made.value;
      this.#known.set(after.id, after);
    }
    const expected = await runInSlices(expectedBy(before, [sent]), this.#slices);
    const report = updateReport(index, expected, { before, after }, false);
    this.#answer.updated[after.id] = await runInSlices(report, this.#slices);
    return null;
  }

  async #destroy(key: string, id: string): Promise<SetError | null> {
    requireTime(this.#scene.context.deadline);
    if (!this.#known.has(id)) return notFound(key);
    const made = await attempt(() => this.#scene.transaction.destroy(id));
    if ('error' in made) return made.error;
    this.#known.delete(id);
    this.#answer.destroyed.push(id);
    return null;
  }

  #outcome() {
    const { destroyed, ...maps } = this.#answer;
    const orNull = <T extends object>(map: T): T | null =>
      Object.keys(map).length === 0 ? null : map;
    return {
      created: orNull(maps.created),
      updated: orNull(maps.updated),
      destroyed: destroyed.length === 0 ? null : destroyed,
      notCreated: orNull(maps.notCreated),
      notUpdated: orNull(maps.notUpdated),
      notDestroyed: orNull(maps.notDestroyed),
    };
  }
}

const WILL_GO = setError('willDestroy', 'The same call destroys the object.');

/** Runs a change of one object; resolves to the SetError where the directory refuses it. */
async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: SetError }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { error: setError(error.type, error.message, error.members) };
  }
}
