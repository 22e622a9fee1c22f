import { propertiesJudged } from '../../access/inheritance.js';
import { myRightsOf, type Rights } from '../../access/rights.js';
import { ownScopesAt, type ScopesOfObject } from '../../capability/own-scopes.js';
import { WHOLE } from '../../capability/scopes.js';
import type { SetResponse } from '../../capability/standard.js';
import { hasUserValues } from '../../capability/user-values.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import { runInSlices } from '../../runtime/slices.js';
import type { StoredObject } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext, CallHooks } from '../context.js';
import { clock, formatState, requireState } from '../states.js';
import { firstToken, type TypeIndex } from '../type-index.js';
import { formatStateOf, stateViewOf, viewerOf, viewOf } from '../view-of-call.js';
import type { Follower } from '../work/aggregate-upkeep.js';
import type { Entry } from '../work/touched.js';
import type { UnitOfWork } from '../work/unit.js';
import { CallAccess } from './call-access.js';
import { CascadePlanner } from './cascade-planner.js';
import { newObject, refusal, SINGLETON_ID, singletonError, unwrittenSingleton } from './draft.js';
import type { AccessJudge } from './judge-access.js';
import { refusalOfDestroy } from './judge-rules.js';
import { OwnValues, partOwn } from './own-values.js';
import { refusalOf, type SetPlan, type Target } from './plan-set.js';
import {
  type CreateOperation,
  type DestroyOperation,
  notFound,
  ProposedChanges,
  type UpdateOperation,
} from './proposed-changes.js';
import { SetReport } from './report.js';
import type { ViewOfType } from './visible-ids.js';

/**
 * Runs one /set in a unit of work. It reads the state and the objects that the call names, and
 * proposes creates and updates. A CascadePlanner judges these with the destroys. Then the run
 * writes, runs hooks and reports. All this takes a fixed number of the port's operations.
 */
export class SetRun {
  readonly #index: TypeIndex;
  readonly #plan: SetPlan;
  readonly #context: CallContext;
  readonly #unit: UnitOfWork;
  /** Objects that updates name, as they are, by id. */
  #before: Rows = NONE;
  /** Objects that the call is to destroy, with the properties that the checks need, by id. */
  #destroyTargets: Rows = NONE;
  readonly #access: CallAccess;
  /** The values that the user has of its own; undefined: the type has none, or a hook writes. */
  #own: OwnValues | undefined;
  /** Null: the user may do everything with the type. */
  #judge: AccessJudge | null = null;
  /** False where the updates are of a singleton that has no row yet: readers see its defaults. */
  #isStored = true;

  constructor(plan: SetPlan, context: CallContext, unit: UnitOfWork) {
    this.#index = plan.index;
    this.#plan = plan;
    this.#context = context;
    this.#unit = unit;
    const view: ViewOfType = (type) => (plan.author === 'client' ? viewOf(context, type) : null);
    this.#access = new CallAccess(view, unit.transaction, () => unit.inheritance);
  }

  /**
   * Does everything but the change records, which the unit writes at its end. Resolves to the
   * response, with the states that those records will make.
   */
  async apply(ifInState: string | null | undefined): Promise<SetResponse> {
    const { type } = this.#index;
    const { transaction, slices } = this.#unit;
    const stored = await transaction.stateNumber(type);
    const written = this.#unit.countWritten(type);
    if (this.#access.viewOf(type) !== null) this.#judge = await this.#access.judgeOf(type);
    const view = this.#plan.author === 'client' ? stateViewOf(this.#context, type) : null;
    const oldState =
      view === null
        ? stored + this.#unit.countRecords(type)
        : await transaction.viewNumber(type, view);
    requireState('ifInState', ifInState, formatStateOf(oldState, view));
    const creates = this.#creates();
    if (this.#plan.updates.length + this.#plan.destroys.length > 0) {
      if (slices.isOver()) await slices.next();
      await this.#read(creates);
      if (slices.isOver()) await slices.next();
    }
    const destroys = this.#destroys(creates);
    const changes = new ProposedChanges(
      {
        index: this.#index,
        known: this.#plan.known,
        createdIds: this.#plan.createdIds,
        author: this.#plan.author,
        now: clock(this.#context.services),
        myRights: await this.#myRights(),
        own: await this.#readOwn(),
      },
      { creates, updates: this.#updates(destroys), before: this.#before },
      this.#compute(),
    );
    await runInSlices(changes.makeRows(), slices);
    const planner = this.#createPlanner(changes, destroys);
    if (planner !== null) await planner.plan();
    changes.writeTo(this.#unit, this.#isStored);
    this.#noteOwn();
    if (planner !== null) planner.apply();
    const followers = await this.#unit.flush();
    const { hooks } = this.#context;
    const others =
      hooks === null
        ? NONE
        : await this.#runHooks(hooks, [...creates, ...changes.updates, ...destroys]);
    if (this.#unit.hasChangedRights) this.#access.renew();
    const sideEffects = await this.#sideEffects(planner?.sideEffects ?? NONE, followers, others);
    const rights = await this.#rightsToTell(creates, sideEffects);
    await this.#addOwn(sideEffects);
    const report = new SetReport(this.#plan.known, this.#unit, rights, this.#own);
    if (creates.length > 0) await runInSlices(report.tellCreates(creates), slices);
    if (changes.updates.length + sideEffects.size > 0) {
      await runInSlices(report.tellUpdates(changes, this.#before, sideEffects), slices);
    }
    if (destroys.length > 0) report.tellDestroys(destroys, planner?.destroyed ?? []);
    return report.toResponse(
      accountOf(this.#context).id,
      formatStateOf(oldState, view),
      formatState(stored + this.#unit.countWritten(type) - written + this.#unit.countRecords(type)),
    );
  }

  /**
   * Runs the hooks that follow the writes. They may add to the unit: resolves to the objects of the
   * call's type that they changed, as they were.
   */
  async #runHooks(hooks: CallHooks, operations: readonly Operation[]): Promise<Rows> {
    const created: [string, string][] = [];
    const refused: string[] = [];
    for (const operation of operations) {
      if (operation.error !== null) refused.push(operation.key);
      else if ('object' in operation) created.push([operation.key, operation.id]);
    }
    hooks.noteOutcome(created, refused);
    const known = new Map(this.#entries().map(({ id, after }) => [id, after]));
    await hooks.afterWrites(this.#unit);
    await this.#unit.flush();
    const changed = new Map<string, StoredObject>();
    for (const { id, before: first, after } of this.#entries()) {
      const before = known.get(id) ?? first;
      if (before !== null && after !== null && before !== after) changed.set(id, before);
    }
    return changed;
  }

  /** Returns the `myRights` of objects whose updates give it: the user may send what it read. */
  async #myRights(): Promise<ReadonlyMap<string, JsonObject> | undefined> {
    const { type, roles } = this.#index;
    const name = roles.myRights?.name;
    const isGiven = ({ patch }: { readonly patch: JsonObject }) => Object.hasOwn(patch, name ?? '');
    if (name === undefined || !this.#plan.updates.some(isGiven)) return undefined;
    const rights = await this.#access.rightsAt(type, [...this.#before.values()]);
    return new Map(Array.from(rights, ([id, one]) => [id, myRightsOf(type, one)]));
  }

  /** Reads the values that the user has of its own; undefined where it has none. */
  async #readOwn(): Promise<OwnValues | undefined> {
    const { type } = this.#index;
    const viewer = this.#plan.author === 'client' ? viewerOf(this.#context) : null;
    if (viewer === null || !hasUserValues(type)) return undefined;
    const ids = [...this.#before.keys()];
    const values = await this.#unit.transaction.userValues(type, viewer.userId, ids);
    this.#own = new OwnValues(type, viewer, values);
    return this.#own;
  }

  /** Has the unit keep the values that the user has of its own after the call. */
  #noteOwn(): void {
    const own = this.#own;
    const { type } = this.#index;
    const view = stateViewOf(this.#context, type);
    if (own === undefined || view === null) return;
    const moves = Array.from(own.changes(), ([id, columns]) => {
      const scopes = ownScopesAt(view, this.#readersOf(id));
      return { id, columns, values: own.after(id), scopes };
    });
    if (moves.length > 0) this.#unit.noteUserValues(type, moves);
  }

  /** Returns the scopes by which an object was seen before the call. */
  #readersOf(id: string): ScopesOfObject {
    if (this.#judge === null) return { all: [WHOLE], held: [WHOLE] };
    const before = this.#before.get(id);
    return before === undefined ? { all: [], held: [] } : this.#judge.readersOf(before);
  }

  /** Reads the same of objects that changed without being named. */
  async #addOwn(sideEffects: Rows): Promise<void> {
    if (this.#own === undefined) return;
    const ids = [...sideEffects.keys()].filter((id) => !this.#before.has(id));
    const { userId } = this.#own.viewer;
    this.#own.add(await this.#unit.transaction.userValues(this.#index.type, userId, ids));
  }

  /** Returns the user's rights at objects that the response tells of; null: none are shared. */
  async #rightsToTell(
    creates: readonly CreateOperation[],
    sideEffects: Rows,
  ): Promise<ReadonlyMap<string, Rights> | null> {
    const { type } = this.#index;
    if (type.share === undefined) return null;
    const created = creates.flatMap(({ id, error, object }) =>
      error === null ? [[id, object] as const] : [],
    );
    const all = new Map([...created, ...this.#before, ...sideEffects]);
    const objects = [...all].map(([id, before]) => this.#unit.current(type, id) ?? before);
    return this.#access.rightsAt(type, objects);
  }

  /** Returns the objects of the call's type that the unit has touched. */
  #entries(): readonly Entry[] {
    return [...(this.#unit.touched.get(this.#index.type.name)?.entries.values() ?? [])];
  }

  /**
   * Adds the objects of the call's type whose aggregates follow from the call, and those that hooks
   * changed, as they were.
   */
  async #sideEffects(others: Rows, followers: readonly Follower[], written: Rows): Promise<Rows> {
    const own = followers.filter(({ type }) => type === this.#index.type);
    if (own.length + written.size === 0 && this.#judge === null) return others;
    const following = own.map(({ before }) => [before.id, before] as const);
    const all = new Map([...written, ...following, ...others]);
    if (this.#judge === null) return all;
    const { type } = this.#index;
    const seen = await this.#judge.visible([...all.values()]);
    const after = seen.flatMap(({ id }) => this.#unit.current(type, id) ?? []);
    // /changes tells that the others have left the view.
    const stay = await (await this.#access.judgeOf(type))?.visible(after);
    const ids = new Set(stay?.map(({ id }) => id));
    return new Map(seen.flatMap((before) => (ids.has(before.id) ? [[before.id, before]] : [])));
  }

  /** Returns null, as for most types, if there is nothing to judge, ask hooks or follow up. */
  #createPlanner(
    changes: ProposedChanges,
    destroys: readonly DestroyOperation[],
  ): CascadePlanner | null {
    const { hooks } = this.#context;
    const { type } = this.#index;
    const isCounted = (this.#unit.book?.quotasOf(type) ?? NO_QUOTAS).length > 0;
    const isLimited = this.#judge !== null || type.access !== undefined;
    const judges = this.#index.judges || isCounted || isLimited;
    if (hooks === null && !judges && destroys.length === 0) return null;
    return new CascadePlanner({
      access: this.#access,
      changes,
      destroyTargets: this.#destroyTargets,
      destroys,
      unit: this.#unit,
      context: this.#context,
    });
  }

  #compute(): (object: StoredObject) => StoredObject {
    const { hooks } = this.#context.services;
    const { type } = this.#index;
    return (object) => hooks?.compute(type, object) ?? object;
  }

  #creates(): readonly CreateOperation[] {
    const index = this.#index;
    const isKept = index.roles.creator !== undefined && this.#plan.author === 'client';
    const by = isKept ? { creator: this.#context.request.principal.userId } : null;
    return this.#plan.creates.map(({ key, draft, birth }) => {
      const { object: values, own } = partOwn(index.type, draft.values);
      return {
        kind: 'create',
        key,
        id: birth.id,
        sent: draft.sent,
        object: newObject(index, values, by === null ? birth : { ...birth, ...by }),
        own,
        error: index.type.singleton === true ? singletonError(index) : refusal(draft),
      };
    });
  }

  async #read(creates: readonly CreateOperation[]): Promise<void> {
    const { updates, destroys } = this.#plan;
    const { type, judgedOfDestroyed } = this.#index;
    const { hooks, registry } = this.#context.services;
    const counted = registry.relations.readOfDestroyed.get(type.name);
    const own = new Set(creates.map(({ id }) => id));
    this.#before = await this.#load(updates, type.properties, own);
    if (type.singleton === true) {
      this.#isStored = this.#before.has(SINGLETON_ID);
      // A user who sees a part of the account sees no singleton: it has no rules and no shares.
      if (!this.#isStored && this.#judge === null)
        this.#before = new Map([[SINGLETON_ID, unwrittenSingleton(this.#index)]]);
    } else {
      const isWhole = hooks?.needsWholeRows(type) === true;
      const judged = this.#judge === null ? [] : propertiesJudged(type);
      const known = new Set([...(counted ?? judgedOfDestroyed), ...judged]);
      const read = isWhole ? type.properties : [...known];
      this.#destroyTargets = await this.#load(destroys, read, own);
    }
  }

  /** Returns the existing objects that the call names, by id: the unit's own where it has them. */
  async #load(
    targets: readonly Target[],
    properties: TypeIndex['links'],
    own: ReadonlySet<string>,
  ): Promise<Rows> {
    const ids = new Set<string>();
    for (const { id } of targets) if (!own.has(id)) ids.add(id);
    if (ids.size === 0) return NONE;
    const { type } = this.#index;
    const found = await this.#unit.transaction.get(type, [...ids], properties);
    const rows = found.map((row) => this.#unit.current(type, row.id) ?? row);
    const seen = this.#judge === null ? rows : await this.#judge.visible(rows);
    return new Map(seen.map((row) => [row.id, row]));
  }

  #updates(destroys: readonly DestroyOperation[]): readonly UpdateOperation[] {
    const going = new Set<string>();
    for (const { id, error } of destroys) if (error === null) going.add(id);
    const forbidden = refusalOf(this.#index, 'update', this.#plan.author);
    // Without a spread, which makes the objects slow.
    return this.#plan.updates.map(({ key, id, patch, sent, sealed, doubled, refused }) => {
      const readable = this.#readablePatch(id, patch);
      const hidden = readable === null ? this.#refusalOfShare(id) : null;
      return {
        kind: 'update',
        key,
        id,
        patch: readable ?? patch,
        sent,
        sealed,
        doubled,
        refused,
        effect: null,
        error: forbidden ?? (going.has(id) ? setError('willDestroy', WILL_GO) : hidden),
      };
    });
  }

  /**
   * Returns the patch of an object without what is null as the user reads it. Null where it is
   * about shares that the user doesn't read: no outcome may tell of them.
   */
  #readablePatch(id: string, patch: JsonObject): JsonObject | null {
    const name = this.#index.roles.shareWith?.name;
    if (name === undefined || this.#judge === null) return patch;
    const keys = Object.keys(patch).filter((key) => firstToken(key) === name);
    if (keys.length === 0 || this.#refusalOfShare(id) === null) return patch;
    const { [name]: value = null, ...rest } = patch;
    return keys.length === 1 && keys[0] === name && value === null ? rest : null;
  }

  #refusalOfShare(id: string): SetError | null {
    const stored = this.#before.get(id);
    return stored === undefined ? null : (this.#judge?.refusalOfShare(stored) ?? null);
  }

  /** Returns why a client can't destroy an object; null if no rule keeps it, or a hook asks. */
  #refuseByRule(id: string): SetError | null {
    const stored = this.#destroyTargets.get(id);
    if (stored === undefined || this.#plan.author !== 'client') return null;
    const forbidden = this.#judge?.refusalOfDestroy(stored) ?? null;
    return forbidden ?? refusalOfDestroy(this.#index.rules, stored);
  }

  /** Returns the destroys, with errors for objects that can't be destroyed. */
  #destroys(creates: readonly CreateOperation[]): readonly DestroyOperation[] {
    const { destroys } = this.#plan;
    if (destroys.length === 0) return destroys as readonly [];
    const born = new Set<string>();
    for (const { id, error } of creates) if (error === null) born.add(id);
    const isSingleton = this.#index.type.singleton === true;
    const refused = refusalOf(this.#index, 'destroy', this.#plan.author);
    return destroys.map(({ key, id }) => {
      const missing = born.has(id) || this.#destroyTargets.has(id) ? null : notFound(key);
      const isIt = isSingleton && id === SINGLETON_ID;
      const error = isIt ? singletonError(this.#index) : (missing ?? this.#refuseByRule(id));
      return { key, id, error: refused ?? error };
    });
  }
}

type Operation = CreateOperation | UpdateOperation | DestroyOperation;

/** Objects by id. */
type Rows = ReadonlyMap<string, StoredObject>;

const NO_QUOTAS: readonly never[] = Object.freeze([]);
const NONE: ReadonlyMap<string, never> = new Map<string, never>();

const WILL_GO = 'The same call destroys the object.';
