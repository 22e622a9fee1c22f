import type { DataTypeDefinition } from '../capability/definition.js';
import type { EffectCall, HookCall } from '../capability/hooks.js';
import { RefusedObjectsError } from '../capability/refusal.js';
import type { SetResponse } from '../capability/standard.js';
import { MethodCall } from '../methods/call.js';
import type { CallContext, CallHooks, CreatedIds } from '../methods/context.js';
import { HookHandleError, namedFailure } from '../methods/hook-errors.js';
import type { FollowUp } from '../methods/once.js';
import { setWithin } from '../methods/set/set.js';
import { clock } from '../methods/states.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import { emptyObject, type JsonObject } from '../protocol/json.js';
import type { Transaction } from '../store/port.js';
import { HookBudget, type TimedHook } from './budget.js';
import { divideResult } from './following.js';
import { HookHandle, LateSnapshot } from './handle.js';
import { objectGiven } from './judge.js';
import { divideChanges, effectKind, type KeptCall, writeKept } from './kept-changes.js';
import { NewsReader } from './news.js';
import { PutBlobs } from './put-blobs.js';

/** The parts of the process that hooks need; the server makes them once, at its start. */
export interface HookServices {
  /** HOOK_TIMEOUT, ms: for all hooks of one method call together that have no own limit. */
  readonly timeout: number;
  /** The team's typed Prisma client, for reading. */
  readonly prisma: unknown;
  /**
   * Runs `work` so that the client reads inside the transaction that this process has open for its
   * exclusive call; once `work` has settled, the client refuses whatever `work` left running.
   */
  join<T>(work: () => Promise<T>): Promise<T>;
  /** Wakes the server's worker for tasks (tasks.ts). */
  readonly wake?: () => void;
  /** Told of what afterCommit hooks throw. */
  readonly onError: (error: unknown, what: string) => void;
}

const NEVER = new AbortController().signal;

/** How deep `tx.set` may call hooks that call `tx.set`. */
export const MAX_HOOK_DEPTH = 8;

/** The further arguments of a method that declares none. */
export const NO_ARGUMENTS: JsonObject = Object.freeze(emptyObject());

/** The data that a hook reads: its call's transaction, a snapshot of its own, or nothing. */
export type Reads = Transaction | 'read' | 'none';

type Work<T> = (call: HookCall, tx: HookHandle) => T | Promise<T>;

/** A hook that is kept for after the commit. */
interface KeptHook extends TimedHook {
  readonly run: (call: Omit<EffectCall, 'inAccount'>) => unknown;
}

/**
 * Runs the hooks of one method call: bounds their time, hands them their `tx`, and keeps hooks for
 * after the commit. A `tx.set` has a scope of its own within that of its hook.
 */
export abstract class HookScope {
  readonly context: CallContext;
  readonly #services: HookServices;
  /** Of the method that the client called: what all of its hooks share is kept there. */
  readonly #root: HookScope;
  readonly #depth: number;
  readonly #after = new Map<string, KeptHook>();
  #budget: HookBudget | null = null;
  #put: PutBlobs | null = null;
  /** A `tx.set` that failed half-way. */
  #broken: { readonly error: unknown } | null = null;
  /** Creation ids of the call itself, once its rows are written. */
  #createdIds: CreatedIds = [];
  /** Keys of what the call refused, once its rows are written. */
  #refused: readonly string[] = [];
  #followUps: FollowUp[] = [];
  /** Names of types whose `afterCommit` is durable, and that changed. */
  readonly #durable = new Set<string>();
  #hasTasks = false;
  /** The arguments that the descriptor declares for the method, without the standard ones. */
  #further = NO_ARGUMENTS;

  constructor(context: CallContext, services: HookServices, parent: HookScope | null) {
    this.context = context;
    this.#services = services;
    this.#root = parent === null ? this : parent.#root;
    this.#depth = parent === null ? 0 : parent.#depth + 1;
  }

  /** Makes the hooks of a `tx.set` that a hook of this call makes. */
  protected abstract makeNestedHooks(context: CallContext): CallHooks;

  /** Tells the hooks of the call what they get as `call.arguments`. */
  giveArguments(further: JsonObject): void {
    this.#further = further;
  }

  /** Tells the hooks of the call what was created under creation ids, and what was refused. */
  noteOutcome(createdIds: CreatedIds, refused: readonly string[]): void {
    // Those of a `tx.set` are the hook's own.
    if (this.#root !== this) return;
    this.#createdIds = createdIds;
    this.#refused = Object.freeze(refused);
  }

  /** Returns whether the client's own call gives hooks an argument. */
  protected get isAsked(): boolean {
    return this.#root === this && Object.keys(this.#further).length > 0;
  }

  /** Returns a hook's result without its `then`, whose calls the server makes behind this one. */
  divide(what: string, value: unknown): unknown {
    const { result, followUps } = divideResult(what, value, this.context.services.registry);
    this.#root.#followUps.push(...followUps);
    return result;
  }

  /** Returns the calls that the hooks of the call want behind it. */
  get followUps(): readonly FollowUp[] {
    return this.#root.#followUps;
  }

  /**
   * Runs one hook; its `tx` writes into `unit` if there is one. Rejects with what the hook throws,
   * under its name, or with HookTimeoutError. Afterwards its `tx` refuses everything.
   */
  async run<T>(
    hook: TimedHook,
    reads: Reads,
    work: Work<T>,
    unit: UnitOfWork | null = null,
  ): Promise<T> {
    const services = this.#services;
    const budget = this.#time();
    const late = reads === 'read' ? new LateSnapshot(this.context) : null;
    const isJoined = typeof reads === 'object';
    const { blobs, limits } = this.context.services;
    const { account, request } = this.context;
    const handle = new HookHandle({
      snapshot: isJoined ? reads : late,
      prisma: services.prisma,
      limits,
      viewer: request.principal.userId,
      openBlob: (id, range) => blobs.read(account?.id ?? '', id, range),
      writing: unit === null ? null : this.#writing(unit),
    });
    const call = this.#call(budget.signal);
    // The hook's time bounds the join, too: the client refuses what the hook does afterwards.
    const run = (): Promise<T> => budget.run(hook, async () => work(call, handle));
    try {
      const value = await (isJoined ? services.join(run) : run());
      const broken = this.#root.#broken;
      if (broken !== null) throw broken.error;
      return value;
    } catch (error) {
      throw namedFailure(hook.what, error);
    } finally {
      handle.end();
      late?.end();
    }
  }

  /**
   * A transaction begins. It may be the second attempt of the call: what the first has kept did not
   * happen.
   */
  begin(): void {
    this.#after.clear();
    this.#durable.clear();
    this.#hasTasks = false;
    this.#broken = null;
    this.#createdIds = [];
    this.#refused = [];
    this.#followUps = [];
    this.#put?.begin();
  }

  /** Keeps a hook for after the commit, once. */
  keep(hook: KeptHook): void {
    this.#root.#after.set(hook.what, hook);
  }

  /** Keeps the changes of a type for its durable `afterCommit`. */
  keepDurable(type: string): void {
    this.#root.#durable.add(type);
  }

  /** Writes tasks for each durable `afterCommit`, with all that the unit has done to its type. */
  async beforeCommit(unit: UnitOfWork): Promise<void> {
    if (this.#durable.size === 0) return;
    const { services } = this.context;
    const { createdIds, userId, method, refused, arguments: args } = this.#call(NEVER);
    const kept = [...createdIds];
    const call: KeptCall = { userId, method, arguments: args, createdIds: kept, refused };
    for (const [type, changes] of new NewsReader(unit).take()) {
      const definition = services.registry.dataTypes.get(type);
      if (definition === undefined || !this.#durable.has(type)) continue;
      for (const part of divideChanges(changes)) {
        const payload = await writeKept(definition, { call, changes: part }, unit.slices);
        const task = { id: services.ids.next('t').id, kind: effectKind(definition), payload };
        await unit.transaction.keepTasks([task], clock(services));
        this.#hasTasks = true;
      }
    }
  }

  /** The call's answer is safe: runs what was kept, and waits for none of it. */
  committed(): void {
    this.#put?.committed();
    if (this.#hasTasks) this.#services.wake?.();
    for (const hook of this.#after.values()) {
      const budget = new HookBudget(this.#services.timeout, Number.POSITIVE_INFINITY);
      const call = this.#call(budget.signal);
      const effect = Object.freeze({ ...call, effectId: null, attempt: 1 });
      budget
        .run(hook, async () => hook.run(effect))
        .catch((error: unknown) => this.#services.onError(error, hook.what));
    }
  }

  /** The call has failed: nothing of it stays. */
  undone(error: unknown): void {
    this.#put?.undone(error);
  }

  #writing(unit: UnitOfWork): ConstructorParameters<typeof HookHandle>[0]['writing'] {
    const root = this.#root;
    root.#put ??= new PutBlobs(root.context);
    const put = root.#put;
    return {
      set: (...request) => this.#set(unit, ...request),
      putBlob: (octets, type) => put.put(unit.transaction, octets, type),
    };
  }

  /** If it throws, the unit may be half-way: the call is undone even if the hook catches that. */
  async #set(
    unit: UnitOfWork,
    type: DataTypeDefinition,
    request: object,
    isPartial: boolean,
  ): Promise<SetResponse> {
    try {
      const response = await this.#setWithin(type, request, unit);
      const { notCreated, notUpdated, notDestroyed } = response;
      if (isPartial || (notCreated ?? notUpdated ?? notDestroyed) === null) return response;
      throw new RefusedObjectsError(type.name, { notCreated, notUpdated, notDestroyed });
    } catch (error) {
      this.#root.#broken ??= { error };
      throw error;
    }
  }

  #setWithin(type: DataTypeDefinition, request: object, unit: UnitOfWork): Promise<SetResponse> {
    if (this.#depth >= MAX_HOOK_DEPTH) {
      throw new HookHandleError(
        `tx.set is nested more than ${MAX_HOOK_DEPTH} levels deep; the last call was for ` +
          `${type.name}.`,
      );
    }
    if (type.name === this.context.services.registry.quotas?.type.name)
      throw new HookHandleError(`tx.set of ${type.name}: the server alone writes quotas.`);
    // A copy: what the hook does to its own while the engine awaits must not be written.
    const copy = objectGiven(`tx.set of ${type.name}`, 'its request', request);
    const args = { ...copy, accountId: this.context.account?.id ?? '' };
    return setWithin(type, args, this.#nestedCall(type), unit);
  }

  /**
   * Returns the account, user and time of the hook's call, but creation ids and hooks of its own.
   */
  #nestedCall(type: DataTypeDefinition): CallContext {
    const { services, request, account, deadline, method } = this.context;
    const { signal } = this.#time();
    // A hook that is given up has nobody who waits for what its `tx.set` does.
    const isGone = (): boolean => signal.aborted || request.isGone();
    const name = `${type.name}/set`;
    // The type's own /set, or, where it has none on the wire, one that stands for it.
    const standIn = { ...method, name, capability: type.capability, dataType: type };
    const own = services.registry.methods.get(name);
    return new MethodCall({
      ...{ services, account, deadline },
      request: { ...request, isGone, createdIds: new Map<string, string>() },
      method: own?.dataType === type ? own : standIn,
      callId: '',
      showsCreatedIds: false,
      hooksWithin: (inner) => this.makeNestedHooks(inner),
    });
  }

  #call(signal: AbortSignal): HookCall {
    const { account } = this.context;
    const root = this.#root;
    const { request } = root.context;
    return Object.freeze({
      accountId: account?.id ?? '',
      userId: request.principal.userId,
      isReadOnly: account?.isReadOnly === true,
      method: root.context.method.name,
      arguments: root.#further,
      // Most hooks don't ask.
      get createdIds() {
        return new Map([...request.createdIds, ...root.#createdIds]);
      },
      get refused() {
        return root.#refused;
      },
      signal,
    });
  }

  #time(): HookBudget {
    const root = this.#root;
    root.#budget ??= new HookBudget(this.#services.timeout, root.context.deadline);
    return root.#budget;
  }
}
