import type { SetArguments, SetResponse } from '../../capability/standard.js';
import { setError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import { runInSlices, type Steps, Strides } from '../../runtime/slices.js';
import type { StoredObject } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { WORKING_OCTETS } from '../long-calls.js';
import { clock, formatState, requireState } from '../states.js';
import type { TypeIndex } from '../type-index.js';
import type { UnitOfWork } from '../work/unit.js';
import { completeRefusals } from './complete-refusals.js';
import { newObject, refusal } from './draft.js';
import type { PlannedUpdate, SetPlan } from './plan.js';
import { type CreateOperation, notFound, Proposal, type UpdateOperation } from './proposal.js';
import { creationReport, dropEqual, expectedBy, SetReport, updateReport } from './report.js';
import type { Seals } from './secrets.js';
import { sentObject, sentPatch } from './sent.js';
import { Settlement } from './settlement.js';
import { SINGLETON_ID, singletonError, unwrittenSingleton } from './singleton.js';

/** A /set that has been judged as far as that goes without data. */
export interface PreparedSet {
  readonly index: TypeIndex;
  readonly plan: SetPlan;
  readonly seals: Seals;
  /** The client's arguments, if a hook has replaced them; the plan is made of the hook's. */
  readonly sent?: SetArguments | undefined;
}

/**
 * One /set in a unit of work. It reads the objects that exist, tells which of them are to be
 * destroyed, applies creates and updates, judges what a destroy takes with it, all in memory, and
 * then writes: a fixed number of the port's operations.
 */
export class SetRun {
  readonly #index: TypeIndex;
  readonly #plan: SetPlan;
  readonly #seals: Seals;
  readonly #sent: SetArguments | undefined;
  readonly #context: CallContext;
  readonly #unit: UnitOfWork;
  readonly #report = new SetReport();
  /** Creation id to id, of what has been created. */
  readonly createdIds: [creationId: string, id: string][] = [];
  /** Objects that updates name, as they are, by id. */
  #before: Rows = NONE;
  /** Those that the call destroys, with what must be known of them. */
  #doomed: Rows = NONE;
  #unstored: ReadonlySet<string> = NO_IDS;
  /** The state that the database has; the unit's records are yet to come. */
  #base = 0;
  #oldState = 0;

  constructor({ index, plan, seals, sent }: PreparedSet, context: CallContext, unit: UnitOfWork) {
    this.#index = index;
    this.#plan = plan;
    this.#seals = seals;
    this.#sent = sent;
    this.#context = context;
    this.#unit = unit;
  }

  /** Everything but the change records, which the unit writes at its end. */
  async run(ifInState: string | null | undefined): Promise<void> {
    const { type } = this.#index;
    const { transaction, slices } = this.#unit;
    this.#base = await transaction.stateNumber(type);
    this.#oldState = this.#base + this.#unit.steps(type);
    requireState('ifInState', ifInState, this.#oldState);
    const creates = this.#creates();
    const updates = this.#targets(this.#plan.updates, ({ key }) => key);
    const destroys = this.#targets(this.#plan.destroys, (key) => key);
    let own = NO_IDS;
    if (updates.length + destroys.length > 0) {
      own = new Set(creates.map(({ id }) => id));
      if (slices.isOver()) await slices.next();
      await this.#read(updates, destroys, own);
      if (slices.isOver()) await slices.next();
    }
    const going = this.#destroys(destroys, own);
    const proposal = new Proposal(
      {
        index: this.#index,
        createdIds: this.#plan.createdIds,
        author: this.#plan.author,
        now: clock(this.#context.services),
      },
      { creates, updates: this.#updates(updates, going, own), before: this.#before },
      this.#compute(),
    );
    await runInSlices(proposal.fold(), slices);
    const settlement = this.#settlement(proposal, going);
    if (settlement !== null) await settlement.settle();
    if (this.#index.links.length > 0) await this.#completeRefusals(proposal);
    proposal.writeTo(this.#unit, this.#unstored);
    if (settlement !== null) await settlement.apply();
    await this.#unit.flush();
    const { hooks } = this.#context;
    if (hooks !== null) {
      // Hooks may add to the unit.
      await hooks.afterWrites(this.#unit);
      await this.#unit.flush();
    }
    await runInSlices(this.#tellCreates(proposal), slices);
    const sideEffects = settlement?.sideEffects ?? NONE;
    if (proposal.updates.length + sideEffects.size > 0) {
      await runInSlices(this.#tellUpdates(proposal, sideEffects), slices);
    }
    if (settlement !== null) this.#tellDestroys(settlement, going);
  }

  /** Null where there is nothing to judge, nobody to ask, and nothing that follows: it is so of most types. */
  #settlement(proposal: Proposal, going: Going): Settlement | null {
    const { hooks, services } = this.#context;
    const { type, judges } = this.#index;
    const isFree =
      !judges && going.size === 0 && !services.registry.relations.counts.has(type.name);
    if (isFree && hooks === null) return null;
    return new Settlement({
      proposal,
      doomed: this.#doomed,
      destroys: [...going.keys()],
      unit: this.#unit,
      context: this.#context,
    });
  }

  #completeRefusals(proposal: Proposal): Promise<void> {
    return completeRefusals({
      index: this.#index,
      creates: this.#plan.creates,
      createdIds: this.#plan.createdIds,
      proposal,
      report: this.#report,
      unit: this.#unit,
      registry: this.#context.services.registry,
    });
  }

  /** After `run`: the states that the unit's records will make. */
  response(): SetResponse {
    return this.#report.toResponse(
      accountOf(this.#context).id,
      formatState(this.#oldState),
      formatState(this.#base + this.#unit.steps(this.#index.type)),
    );
  }

  #compute(): (object: StoredObject) => StoredObject {
    const { hooks } = this.#context.services;
    const { type } = this.#index;
    return (object) => hooks?.compute(type, object) ?? object;
  }

  #creates(): readonly CreateOperation[] {
    const creates: CreateOperation[] = [];
    for (const { key, draft, birth } of this.#plan.creates) {
      const refused =
        this.#index.type.singleton === true ? singletonError(this.#index) : refusal(draft);
      if (refused !== null) {
        this.#report.refuse('notCreated', key, refused);
        continue;
      }
      const values = withSeals(draft.values, this.#seals.creates.get(key));
      const object = newObject(this.#index, values, birth);
      creates.push({ kind: 'create', key, id: birth.id, sent: draft.sent, object });
    }
    return creates;
  }

  /**
   * What each entry is about: "#" and a creation id may be of this call. Where its create failed it
   * is about nothing, and never about what an earlier call created under the same creation id.
   */
  #targets<T>(entries: readonly T[], keyOf: (entry: T) => string): readonly Target<T>[] {
    const { own, earlier } = this.#plan.createdIds;
    return entries.map((entry) => {
      const key = keyOf(entry);
      return { entry, key, id: resolveId(key, own, earlier) };
    });
  }

  async #read(
    updates: readonly Target<unknown>[],
    destroys: readonly Target<unknown>[],
    own: ReadonlySet<string>,
  ): Promise<void> {
    const { type, links } = this.#index;
    const { hooks } = this.#context.services;
    const whole = hooks?.needsWholeRows(type) === true;
    if (updates.length > 0) this.#before = await this.#load(updates, type.properties, own);
    if (type.singleton === true) {
      const asked = updates.some(({ id }) => id === SINGLETON_ID);
      if (asked && !this.#before.has(SINGLETON_ID)) {
        this.#before = new Map([[SINGLETON_ID, unwrittenSingleton(this.#index)]]);
        this.#unstored = new Set([SINGLETON_ID]);
      }
    } else if (destroys.length > 0) {
      this.#doomed = await this.#load(destroys, whole ? type.properties : links, own);
    }
  }

  /** The objects that exist and are meant, by id. */
  async #load(
    targets: readonly Target<unknown>[],
    properties: TypeIndex['links'],
    own: ReadonlySet<string>,
  ): Promise<Rows> {
    const ids = new Set<string>();
    for (const { id } of targets) if (id !== null && !own.has(id)) ids.add(id);
    if (ids.size === 0) return NONE;
    const { type } = this.#index;
    const found = await this.#unit.transaction.get(type, [...ids], properties, WORKING_OCTETS);
    return new Map(found.map((row) => [row.id, row]));
  }

  #updates(
    targets: readonly Target<PlannedUpdate>[],
    going: Going,
    own: ReadonlySet<string>,
  ): readonly UpdateOperation[] {
    const updates: UpdateOperation[] = [];
    for (const { entry, key, id } of targets) {
      const { patch } = entry;
      if (id === null || !(own.has(id) || this.#before.has(id))) {
        this.#report.refuse('notUpdated', key, notFound(key));
      } else if (going.has(id)) {
        const why = 'The same call destroys the object.';
        this.#report.refuse('notUpdated', key, setError('willDestroy', why));
      } else if (patch.kind === 'refused') {
        this.#report.refuse('notUpdated', key, patch.error);
      } else {
        const sealed = this.#seals.updates.get(key);
        const operation = { kind: 'update', key, id, patch: patch.object } as const;
        updates.push(sealed === undefined ? operation : { ...operation, sealed });
      }
    }
    return updates;
  }

  /** Notes what can't be destroyed, and returns the rest. */
  #destroys(targets: readonly Target<string>[], own: ReadonlySet<string>): Going {
    if (targets.length === 0) return NONE;
    const going = new Map<string, string[]>();
    for (const { key, id } of targets) {
      if (this.#index.type.singleton === true && id === SINGLETON_ID) {
        this.#report.refuse('notDestroyed', key, singletonError(this.#index));
      } else if (id === null || !(own.has(id) || this.#doomed.has(id))) {
        this.#report.refuse('notDestroyed', key, notFound(key));
      } else {
        const keys = going.get(id);
        if (keys === undefined) going.set(id, [key]);
        else keys.push(key);
      }
    }
    return going;
  }

  #sentOf({ key, sent }: CreateOperation): JsonObject {
    return this.#sent === undefined ? sent : sentObject(this.#index, this.#sent.create, key);
  }

  #sentPatchOf({ key, patch }: UpdateOperation): JsonObject {
    return this.#sent === undefined ? patch : sentPatch(this.#index, this.#sent.update, key);
  }

  #tellDestroys({ destroyed, kept }: Settlement, going: Going): void {
    const gone = new Set(destroyed);
    for (const [id, keys] of going) {
      if (gone.has(id)) continue;
      for (const key of keys)
        this.#report.refuse('notDestroyed', key, kept.get(id) ?? notFound(key));
    }
    this.#report.destroyed.push(...destroyed);
  }

  /** Tells of the created objects as the unit leaves them. */
  *#tellCreates({ creates, refused }: Proposal): Steps<void> {
    const { type, visible } = this.#index;
    const strides = new Strides();
    for (const create of creates) {
      const { key, id } = create;
      const error = refused.get(create);
      if (error !== undefined) {
        this.#report.refuse('notCreated', key, error);
        continue;
      }
      if (strides.isOver(visible.length * COMPARED)) yield;
      this.createdIds.push([key, id]);
      const object = this.#unit.current(type, id) ?? create.object;
      const compared = creationReport(this.#index, this.#sentOf(create), object);
      const report = compared.unsure === null ? compared.report : yield* dropEqual(compared);
      this.#report.addCreate(key, report);
    }
  }

  /** Tells what became of objects that updates named, or that changed as a consequence. */
  *#tellUpdates(proposal: Proposal, sideEffects: ReadonlyMap<string, StoredObject>): Steps<void> {
    const { type } = this.#index;
    const born = new Map(proposal.creates.map(({ id, object }) => [id, object]));
    const given = new Map<string, JsonObject[]>();
    const before = new Map<string, StoredObject>();
    for (const operation of proposal.updates) {
      const { key, id } = operation;
      const error = proposal.refused.get(operation);
      if (error !== undefined) {
        this.#report.refuse('notUpdated', key, error);
        continue;
      }
      const patches = given.get(id) ?? [];
      given.set(id, patches);
      patches.push(this.#sentPatchOf(operation));
      const was = born.get(id) ?? this.#before.get(id);
      if (was !== undefined) before.set(id, was);
    }
    for (const [id, was] of sideEffects) {
      if (!born.has(id) && !before.has(id)) before.set(id, was);
    }
    for (const [id, was] of before) {
      const now = this.#unit.current(type, id);
      if (now === null && !given.has(id)) continue;
      yield;
      const patches = given.get(id) ?? [];
      const expected = yield* expectedBy(was, patches);
      yield;
      const isAsSent = this.#sent === undefined;
      const move = { before: was, after: now ?? was };
      const report = yield* updateReport(this.#index, expected, move, isAsSent);
      this.#report.addUpdate(id, report);
    }
  }
}

/** Objects by id. */
type Rows = ReadonlyMap<string, StoredObject>;

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
const NO_IDS: ReadonlySet<string> = new Set();

/** To compare a property takes as long as to look at so many values. */
const COMPARED = 16;

/**
 * Objects that the call is to destroy: by id, the keys as sent. An object may be named by its id and
 * by creation ids.
 */
type Going = ReadonlyMap<string, readonly string[]>;

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

function withSeals(values: JsonObject, seals: ReadonlyMap<string, string> | undefined): JsonObject {
  if (seals === undefined || seals.size === 0) return values;
  return Object.assign(emptyObject(), values, Object.fromEntries(seals));
}
