import type { DataTypeDefinition } from '../../capability/definition.js';
import type { HookCall } from '../../capability/hooks.js';
import type { SetResponse } from '../../capability/standard.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import type { Transaction } from '../../store/port.js';
import type { CallContext } from '../context.js';
import { HookHandleError, HookTimeoutError, namedFailure } from './errors.js';
import { HookHandle } from './handle.js';
import { objectGiven } from './judge.js';
import { nestedContext } from './nested.js';
import type { HookReach, HookServices, ObjectReader, SetWithin } from './port.js';

/** How deep `tx.set` may call hooks that call `tx.set`. */
export const MAX_HOOK_DEPTH = 8;

/** What no hook of the call was declared to take. */
const NO_ARGUMENTS: JsonObject = Object.freeze(emptyObject());

type Timed<T> = (call: HookCall, handle: HookHandle) => T | Promise<T>;

type Complete = (response: object, reader: ObjectReader) => Promise<object>;

/** Aborts when its time is over; one for a method call and all its hooks. */
interface Budget {
  readonly end: number;
  readonly abort: AbortController;
}

/**
 * The hooks of one method call: their time, what they may touch, and what is left for after the
 * commit. A transaction may be run again: what the last attempt kept gives way to the new.
 */
export class HookScope {
  readonly #context: CallContext;
  readonly #set: SetWithin;
  readonly #depth: number;
  readonly #parent: HookScope | null;
  readonly #after = new Map<string, () => unknown>();
  #budget: Budget | null = null;
  #complete: Complete | null = null;
  /** The further arguments that the descriptor declares for the method. */
  further: JsonObject;

  constructor(context: CallContext, set: SetWithin, parent: HookScope | null = null) {
    this.#context = context;
    this.#set = set;
    this.#parent = parent;
    this.#depth = parent === null ? 0 : parent.#depth + 1;
    this.further = parent === null ? NO_ARGUMENTS : parent.further;
  }

  /**
   * Runs one hook with a `tx` that reaches so far. Rejects with what it throws, by the hook's name, or
   * with HookTimeoutError; from then on its `tx` refuses everything.
   */
  async run<T>(what: string, reach: HookReach, further: JsonObject, hook: Timed<T>): Promise<T> {
    const services = this.#services();
    const budget = this.#time(services);
    const handle = this.#handle(reach, services);
    const call = this.#call(further, budget.abort.signal);
    const late = (): Error => new HookTimeoutError(what, services.timeout);
    // What is joined ends with its time: the client refuses what the hook does with it afterwards.
    const work = (): Promise<T> => withinTime((async () => hook(call, handle))(), budget, late);
    try {
      return await (isWriting(reach) ? services.join(work) : work());
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

  /** Keeps a hook for after the commit. */
  keep(what: string, run: (call: HookCall) => unknown, further: JsonObject): void {
    if (this.#parent !== null) {
      this.#parent.keep(what, run, further);
      return;
    }
    const { timeout } = this.#services();
    const signal = (): AbortSignal => AbortSignal.timeout(timeout);
    this.#after.set(what, () => run(this.#call(further, signal())));
  }

  /** The call's answer is safe: runs what was kept, and waits for none of it. */
  committed(): void {
    const { hooks } = this.#context.services;
    for (const [what, run] of this.#after) {
      Promise.resolve()
        .then(run)
        .catch((error: unknown) => hooks?.onError(error, what));
    }
  }

  #handle({ snapshot, unit }: HookReach, services: HookServices): HookHandle {
    const set =
      unit !== null
        ? (type: DataTypeDefinition, request: object): Promise<SetResponse> => {
            if (this.#depth >= MAX_HOOK_DEPTH) {
              throw new HookHandleError(
                `Hooks call tx.set more than ${MAX_HOOK_DEPTH} deep: of ${type.name} the last.`,
              );
            }
            const context = nestedContext(
              this.#context,
              type,
              (inner) => new HookScope(inner, this.#set, this),
            );
            // A copy: what the hook does to its own while the engine awaits must not be written.
            const wanted = objectGiven(`tx.set of ${type.name}`, 'its request', request);
            const args = { ...wanted, accountId: this.#context.account?.id ?? '' };
            return this.#set(type, args, context, unit);
          }
        : null;
    const { maxObjectsInGet } = this.#context.services.limits;
    return new HookHandle({ snapshot, prisma: services.prisma, maxObjectsInGet, set });
  }

  #call(further: JsonObject, signal: AbortSignal): HookCall {
    const { account, request } = this.#context;
    return Object.freeze({
      accountId: account?.id ?? '',
      userId: request.principal.userId,
      method: this.method,
      arguments: further,
      signal,
    });
  }

  /** The name of the method that the client called. */
  get method(): string {
    return this.#parent === null ? this.#context.method.name : this.#parent.method;
  }

  #time(services: HookServices): Budget {
    if (this.#parent !== null) return this.#parent.#time(services);
    this.#budget ??= {
      end: Math.min(performance.now() + services.timeout, this.#context.deadline),
      abort: new AbortController(),
    };
    return this.#budget;
  }

  #services(): HookServices {
    const { hooks } = this.#context.services;
    if (hooks === undefined) throw new Error('Hooks are there, but nothing that they run with.');
    return hooks;
  }
}

/** The connection's transaction is the hook's to see: it is open for this call alone. */
function isWriting({ snapshot }: HookReach): boolean {
  return snapshot !== null && 'record' in snapshot;
}

async function withinTime<T>(work: Promise<T>, budget: Budget, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, budget.end - performance.now()));
  });
  try {
    const value = await Promise.race([work, timeout]);
    // A loop that never awaits kept the timer from firing.
    if (performance.now() > budget.end) throw late();
    return value;
  } catch (error) {
    if (error instanceof HookTimeoutError) budget.abort.abort(error);
    // What the hook does later has nobody to tell.
    work.catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
