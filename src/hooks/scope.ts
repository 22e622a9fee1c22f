import type { DataTypeDefinition } from '../capability/definition.js';
import type { HookCall } from '../capability/hooks.js';
import { RefusedObjectsError } from '../capability/refusal.js';
import type { SetResponse } from '../capability/standard.js';
import type { CallContext, CallHooks } from '../methods/context.js';
import { HookHandleError, HookTimeoutError, namedFailure } from '../methods/hook-errors.js';
import { setWithin } from '../methods/set/set.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import { emptyObject, type JsonObject } from '../protocol/json.js';
import type { Transaction } from '../store/port.js';
import { HookBudget } from './budget.js';
import { HookHandle, type HookSet } from './handle.js';
import { objectGiven } from './judge.js';
import { nestedContext } from './nested.js';
import type { HookReach, HookServices, ObjectReader } from './port.js';

/** How deep `tx.set` may call hooks that call `tx.set`. */
export const MAX_HOOK_DEPTH = 8;

/** What no hook of the call was declared to take. */
const NO_ARGUMENTS: JsonObject = Object.freeze(emptyObject());

type Timed<T> = (call: HookCall, handle: HookHandle) => T | Promise<T>;

type Complete = (response: object, reader: ObjectReader) => Promise<object>;

/**
 * The hooks of one method call: their time, what they may touch, and what is left for after the
 * commit. A transaction may be run again: what the last attempt kept gives way to the new.
 */
export class HookScope implements CallHooks {
  readonly #context: CallContext;
  readonly #services: HookServices;
  readonly #depth: number;
  readonly #parent: HookScope | null;
  readonly #after = new Map<string, () => unknown>();
  #budget: HookBudget | null = null;
  /** A `tx.set` that failed half-way. */
  #broken: { readonly error: unknown } | null = null;
  #complete: Complete | null = null;
  /** The further arguments that the descriptor declares for the method. */
  further: JsonObject;

  constructor(context: CallContext, services: HookServices, parent: HookScope | null = null) {
    this.#context = context;
    this.#services = services;
    this.#parent = parent;
    this.#depth = parent === null ? 0 : parent.#depth + 1;
    this.further = parent === null ? NO_ARGUMENTS : parent.further;
  }

  /**
   * Runs one hook with a `tx` that reaches so far. Rejects with what it throws, by the hook's name, or
   * with HookTimeoutError; from then on its `tx` refuses everything.
   */
  async run<T>(what: string, reach: HookReach, further: JsonObject, hook: Timed<T>): Promise<T> {
    const services = this.#services;
    const budget = this.#time();
    const handle = this.#handle(reach);
    const call = this.#call(further, budget.signal);
    const late = (): HookTimeoutError => new HookTimeoutError(what, services.timeout);
    // What is joined ends with its time: the client refuses what the hook does with it afterwards.
    const work = (): Promise<T> => budget.run(async () => hook(call, handle), late);
    try {
      const value = await (isWriting(reach) ? services.join(work) : work());
      const broken = this.#root.#broken;
      if (broken !== null) throw broken.error;
      return value;
    } catch (error) {
      throw namedFailure(what, error);
    } finally {
      handle.end();
    }
  }

  /** What adds further members to the response of a method that writes. */
  completeBy(add: Complete): void {
    this.#complete = add;
  }

  /** The whole response, made inside the transaction: what can't be made undoes the call. */
  async complete<T extends object>(response: T, transaction: Transaction): Promise<T> {
    return this.#complete === null
      ? response
      : ((await this.#complete(response, transaction)) as T);
  }

  /** A transaction begins: what an attempt that was undone has kept did not happen. */
  begin(): void {
    this.#after.clear();
    this.#broken = null;
  }

  /** Keeps a hook for after the commit. */
  keep(what: string, run: (call: HookCall) => unknown, further: JsonObject): void {
    const { timeout } = this.#services;
    const signal = (): AbortSignal => AbortSignal.timeout(timeout);
    this.#root.#after.set(what, () => run(this.#call(further, signal())));
  }

  /** The call's answer is safe: runs what was kept, and waits for none of it. */
  committed(): void {
    for (const [what, run] of this.#after) {
      Promise.resolve()
        .then(run)
        .catch((error: unknown) => this.#services.onError(error, what));
    }
  }

  #handle({ snapshot, unit }: HookReach): HookHandle {
    const { maxObjectsInGet } = this.#context.services.limits;
    const { prisma } = this.#services;
    const set = unit === null ? null : this.#setIn(unit);
    return new HookHandle({ snapshot, prisma, maxObjectsInGet, set });
  }

  /** Where it throws, the unit may be half-way: the call is undone even where the hook catches it. */
  #setIn(unit: UnitOfWork): HookSet {
    return async (type, request, { partial = false }) => {
      try {
        const response = await this.#setWithin(type, request, unit);
        const { notCreated, notUpdated, notDestroyed } = response;
        if (partial || (notCreated ?? notUpdated ?? notDestroyed) === null) return response;
        throw new RefusedObjectsError(type.name, { notCreated, notUpdated, notDestroyed });
      } catch (error) {
        this.#root.#broken ??= { error };
        throw error;
      }
    };
  }

  #setWithin(type: DataTypeDefinition, request: object, unit: UnitOfWork): Promise<SetResponse> {
    if (this.#depth >= MAX_HOOK_DEPTH) {
      throw new HookHandleError(
        `Hooks call tx.set more than ${MAX_HOOK_DEPTH} deep: of ${type.name} the last.`,
      );
    }
    const scopeOf = (inner: CallContext): HookScope => new HookScope(inner, this.#services, this);
    const { signal } = this.#time();
    const context = nestedContext(this.#context, type, signal, scopeOf);
    // A copy: what the hook does to its own while the engine awaits must not be written.
    const wanted = objectGiven(`tx.set of ${type.name}`, 'its request', request);
    const args = { ...wanted, accountId: this.#context.account?.id ?? '' };
    return setWithin(type, args, context, unit);
  }

  #call(further: JsonObject, signal: AbortSignal): HookCall {
    const { account, request } = this.#context;
    return Object.freeze({
      accountId: account?.id ?? '',
      userId: request.principal.userId,
      method: this.#root.#context.method.name,
      arguments: further,
      signal,
    });
  }

  /** Of the method that the client called. */
  get #root(): HookScope {
    return this.#parent === null ? this : this.#parent.#root;
  }

  #time(): HookBudget {
    const root = this.#root;
    root.#budget ??= new HookBudget(this.#services.timeout, root.#context.deadline);
    return root.#budget;
  }
}

/** Returns the hooks of a call, which `Hooks.ofCall` made. */
export function scopeOf({ hooks }: CallContext): HookScope {
  if (hooks instanceof HookScope) return hooks;
  throw new Error('The call was made without its hooks.');
}

/** The connection's transaction is the hook's to see: it is open for this call alone. */
function isWriting({ snapshot }: HookReach): boolean {
  return snapshot !== null && 'record' in snapshot;
}
