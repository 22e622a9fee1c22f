import type { DataTypeDefinition } from '../capability/definition.js';
import type {
  Asked,
  Changes,
  EffectCall,
  HookCall,
  MethodExtension,
  TypeHooks,
} from '../capability/hooks.js';
import { frozen } from '../capability/runtime.js';
import { accountOf } from '../methods/accounts.js';
import type { AskedValues } from '../methods/answered-index.js';
import { MethodCall } from '../methods/call.js';
import type {
  Answer,
  CallContext,
  CallHooks,
  CompleteResponse,
  Hooks,
  RefusableChange,
  Services,
  StandardArguments,
} from '../methods/context.js';
import { HookHandleError } from '../methods/hook-errors.js';
import type { Registry } from '../methods/registry.js';
import { UnitOfWork } from '../methods/work/unit.js';
import { upkeepOf } from '../methods/work/upkeep-of-services.js';
import type { SetError } from '../protocol/errors.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { runInSlices } from '../runtime/slices.js';
import type { StoredObject, Transaction } from '../store/port.js';
import { answeredMembers } from './answered-members.js';
import type { TimedHook } from './budget.js';
import { Computes } from './compute.js';
import { type Following, updateComputed } from './compute-on.js';
import { takeCreatedIds } from './following.js';
import { furtherMembers, judgedRefusal, ownResponse, replacedArguments } from './judge.js';
import { type News, NewsReader } from './news.js';
import { offerArguments } from './offered-arguments.js';
import { concernedTypes, exclusiveTypes, sourceTypes } from './reach.js';
import { HookScope, type HookServices, NO_ARGUMENTS, type Reads } from './scope.js';
import {
  GRACE,
  type OwnWork,
  SERVER_ACCOUNT,
  SERVER_METHOD,
  type ServerCall,
  serverRequest,
} from './server-call.js';
import { isDurable, namedHook } from './timed.js';
import { frozenCopy, frozenInSlices } from './walks.js';

/** Returns the hooks of a registry as methods meet them; undefined where it has none. */
export function createHooks(registry: Registry, services: HookServices): RegistryHooks | undefined {
  const isWithout = [...registry.capabilities.values()].every(({ hooks }) => hooks === undefined);
  return isWithout ? undefined : new RegistryHooks(registry, services);
}

const NO_CHANGES: News[1] = Object.freeze({ created: [], updated: [], destroyed: [] });

/** The hooks that hear of a unit's news: the same for every `tx.set` in it. */
interface Readers {
  readonly computeOn: NewsReader;
  /** Of inTransaction and afterCommit. */
  readonly inTransaction: NewsReader;
}

export class RegistryHooks implements Hooks {
  readonly registry: Registry;
  readonly services: HookServices;
  readonly #computes: Computes;
  readonly #sources: ReadonlySet<string>;
  readonly #exclusive: ReadonlySet<string>;
  readonly #concerned: ReadonlySet<string>;
  readonly #readers = new WeakMap<UnitOfWork, Readers>();

  constructor(registry: Registry, services: HookServices) {
    this.registry = registry;
    this.services = services;
    this.#computes = new Computes(registry);
    this.#sources = sourceTypes(registry);
    this.#exclusive = exclusiveTypes(registry);
    this.#concerned = concernedTypes(registry);
  }

  ofCall(context: CallContext): CallHooks | null {
    const { dataType, name } = context.method;
    const isConcerned =
      dataType === undefined
        ? this.registry.ownMethods.has(name)
        : this.#concerned.has(dataType.name);
    return isConcerned ? new HookedCall(context, this, null) : null;
  }

  /**
   * Runs `work`, which no client has called, in a transaction of an account that it shares with
   * nobody. Its hooks run in a scope of their own.
   */
  async runInAccount<T>(
    services: Services,
    { accountId, userId, what, deadline }: ServerCall,
    work: (scope: HookScope, unit: UnitOfWork) => Promise<T>,
  ): Promise<T> {
    const scopes: HookedCall[] = [];
    const call = new MethodCall({
      services,
      request: serverRequest(userId),
      method: { ...SERVER_METHOD, name: what },
      account: { ...SERVER_ACCOUNT, id: accountId },
      deadline,
      callId: '',
      showsCreatedIds: false,
      hooksWithin: (context) => {
        const scope = new HookedCall(context, this, null);
        scopes.push(scope);
        return scope;
      },
    });
    const [scope] = scopes;
    if (scope === undefined) throw new Error('A call by the server has no hooks.');
    try {
      const result = await scope.write((unit) => work(scope, unit));
      call.committed();
      return result;
    } catch (error) {
      call.undone(error);
      throw error;
    }
  }

  /** Returns what runs work of a hook in transactions of an account, until it is given up. */
  workIn(
    services: Services,
    hook: TimedHook,
    { accountId, userId, end, signal }: OwnWork,
  ): EffectCall['inAccount'] {
    const call = { accountId, userId, what: hook.what, deadline: end + GRACE };
    return async (work) => {
      signal.throwIfAborted();
      return this.runInAccount(services, call, (scope, unit) => {
        // It may have been given up while it waited for the account.
        signal.throwIfAborted();
        return scope.run(hook, unit.transaction, (_call, tx) => work(tx), unit);
      });
    };
  }

  /** Returns whether hooks see destroyed objects of the type; `compute` sees only written ones. */
  needsWholeRows({ name }: DataTypeDefinition): boolean {
    const { check, inTransaction, afterCommit } = this.registry.typeHooks.get(name) ?? {};
    const hearing = check ?? inTransaction ?? afterCommit;
    return this.#sources.has(name) || hearing !== undefined;
  }

  /** compute is a pure function: it needs no lock. */
  isExclusive({ name }: DataTypeDefinition): boolean {
    return this.#exclusive.has(name);
  }

  compute(type: DataTypeDefinition, object: StoredObject): StoredObject {
    return this.#computes.apply(type, object);
  }

  readersOf(unit: UnitOfWork): Readers {
    const readers = this.#readers.get(unit) ?? {
      computeOn: new NewsReader(unit),
      inTransaction: new NewsReader(unit),
    };
    this.#readers.set(unit, readers);
    return readers;
  }
}

/** Runs one call's hooks at their steps. Hooks get frozen values: they can't change the writes. */
class HookedCall extends HookScope implements CallHooks {
  readonly #hooks: RegistryHooks;
  readonly #types: ReadonlyMap<string, TypeHooks>;

  constructor(context: CallContext, hooks: RegistryHooks, parent: HookScope | null) {
    super(context, hooks.services, parent);
    this.#hooks = hooks;
    this.#types = hooks.registry.typeHooks;
  }

  protected override makeNestedHooks(context: CallContext): CallHooks {
    return new HookedCall(context, this.#hooks, this);
  }

  /**
   * Runs a method that a hook file implements: in a transaction that it shares with nobody where it
   * writes. Its response is held to the schema that the descriptor declares before anything is on
   * disk.
   */
  async runOwn(name: string, args: JsonObject): Promise<Answer> {
    const body = namedHook(name, this.#hooks.registry.ownMethods.get(name));
    if (body === undefined) throw new Error(`No hook file implements ${name}.`);
    const { context } = this;
    const { account } = context.method;
    this.giveArguments(await this.#copyOf(args));
    const run = async (reads: Reads, unit: UnitOfWork | null): Promise<Answer> => {
      const value = await this.run(body, reads, (call, tx) => body.run(args, call, tx), unit);
      const own = takeCreatedIds(name, this.divide(name, value));
      const response = ownResponse(name, context.method, own.response);
      // Inside the transaction: an answer that can't be given undoes the call.
      return context.admit(response, { createdIds: own.createdIds });
    };
    if (account !== 'write') return run(account, null);
    return this.write((unit) => run(unit.transaction, unit));
  }

  /** Runs `work` in a transaction that it shares with nobody. */
  async write<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const { services, deadline, request } = this.context;
    const options = { deadline, exclusive: true };
    return services.store.write(accountOf(this.context).id, options, async (transaction) => {
      this.begin();
      const slices = this.context.startSlices(true);
      const user = { userId: request.principal.userId, part: null };
      const unit = new UnitOfWork(transaction, user, slices, upkeepOf(services));
      const result = await work(unit);
      await this.beforeCommit(unit);
      await unit.record();
      return result;
    });
  }

  /**
   * Returns the arguments to run a standard method with: `before` may replace them. Only hooks get
   * the arguments that the descriptor adds.
   */
  async prepare(args: JsonObject): Promise<StandardArguments> {
    const { method } = this.context;
    const { furtherArguments: added = [] } = method;
    const further = emptyObject();
    const standard = emptyObject();
    for (const [name, value] of Object.entries(args))
      (added.includes(name) ? further : standard)[name] = value as JsonValue;
    const slices = this.context.startSlices();
    this.giveArguments(await frozenInSlices(further, slices));
    const before = namedHook(`before of ${method.name}`, this.#extension().before);
    if (before === undefined) return { args: standard };
    const offer = await runInSlices(offerArguments(standard, this.context), slices);
    const offered = await this.#copyOf(offer.args);
    const result = await this.run(before, 'read', (call, reader) =>
      before.run(offered as never, call, reader),
    );
    const scene = { sent: standard, offered, further };
    const replacing = replacedArguments(before.what, method, scene, result);
    const replaced = offer.complete(await runInSlices(replacing, slices));
    // The account was judged: a hook can't choose another.
    return { args: { ...replaced, accountId: accountOf(this.context).id }, sent: args };
  }

  /** Returns what the type's `answer` computes for each of the objects. */
  async answer(
    type: DataTypeDefinition,
    asked: AskedValues,
    objects: readonly StoredObject[],
  ): Promise<readonly JsonObject[]> {
    const what = `answer of ${type.name}`;
    const hook = namedHook(what, this.#types.get(type.name)?.answer);
    if (hook === undefined) throw new Error(`No hook answers the properties of ${type.name}.`);
    const slices = this.context.startSlices();
    const offered = await frozenInSlices(objects, slices);
    const said = await this.run(hook, 'read', (call, reader) =>
      hook.run(offered, offeredNames(type, asked), this.#asOfGet(call), reader),
    );
    return runInSlices(answeredMembers({ what, type, asked }, objects, said), slices);
  }

  /** Returns the call with the arguments of a /get alone: those of a /set mean something else. */
  #asOfGet(call: HookCall): HookCall {
    if (this.context.method.body === 'get') return call;
    return Object.freeze({ ...call, arguments: NO_ARGUMENTS });
  }

  /** Returns the response with the members that `after` adds. */
  async complete(response: object, transaction?: Transaction): Promise<CompleteResponse> {
    const { method } = this.context;
    const after = namedHook(`after of ${method.name}`, this.#extension().after);
    if (after === undefined) return { response, followUps: this.followUps };
    const slices = this.context.startSlices(true);
    const offered = await frozenInSlices(response, slices);
    const members = await this.run(after, transaction ?? 'read', (call, reader) =>
      after.run(offered as never, call, reader),
    );
    const further = furtherMembers(after.what, method, this.divide(after.what, members));
    return { response: { ...response, ...further }, followUps: this.followUps };
  }

  /** Runs the type's `check`: its refusals are judged, and end with its time. */
  async beforeWrites(
    type: DataTypeDefinition,
    changes: readonly RefusableChange[],
    unit: UnitOfWork,
  ): Promise<void> {
    const check = namedHook(`check of ${type.name}`, this.#types.get(type.name)?.check);
    if (check === undefined) return;
    await frozenInSlices(
      changes.map(({ before, after }) => [before, after]),
      unit.slices,
    );
    let isOver = false;
    const offered = changes.map(({ key, before, after, refuse }) =>
      Object.freeze({
        ...{ key, before, after },
        refuse(error: SetError): void {
          // The engine already writes the object.
          if (isOver) throw new HookHandleError('It is too late to refuse: the check has ended.');
          refuse(judgedRefusal(check.what, type, error));
        },
      }),
    );
    try {
      await this.run(check, unit.transaction, (call, reader) =>
        check.run(Object.freeze(offered), call, reader),
      );
    } finally {
      isOver = true;
    }
  }

  /**
   * Brings computed properties up to date, then tells one type's hooks of its changes, until
   * nothing is new. A hook's `tx.set` has already told of the hook's own writes.
   */
  async afterWrites(unit: UnitOfWork): Promise<void> {
    const { registry } = this.#hooks;
    const readers = this.#hooks.readersOf(unit);
    const following: Following = {
      ...{ registry, unit, upkeep: upkeepOf(this.context.services) },
      run: (hook, work) => this.run(hook, unit.transaction, work),
    };
    const { dataType } = this.context.method;
    let isAsked = dataType !== undefined && this.isAsked;
    for (;;) {
      await updateComputed(following, readers.computeOn);
      const [news] = readers.inTransaction.take();
      if (news === undefined && !isAsked) return;
      const [name, changes] = news ?? [dataType?.name ?? '', NO_CHANGES];
      if (news !== undefined) this.#keepAfterCommit(name, unit);
      isAsked &&= name !== dataType?.name;
      await this.#tell([name, changes], unit);
      await unit.flush();
    }
  }

  /** Keeps a type's `afterCommit`. */
  #keepAfterCommit(name: string, unit: UnitOfWork): void {
    const hook = this.#types.get(name)?.afterCommit;
    if (isDurable(hook)) {
      this.keepDurable(name);
      return;
    }
    const afterCommit = namedHook(`afterCommit of ${name}`, hook);
    if (afterCommit === undefined) return;
    const { limit } = afterCommit;
    const run = async (call: Omit<EffectCall, 'inAccount'>): Promise<void> => {
      const end = performance.now() + (limit ?? this.#hooks.services.timeout);
      // All that the transaction has done to the type by its end, once.
      const all = new Map(new NewsReader(unit).take()).get(name) ?? NO_CHANGES;
      const { services } = this.context;
      const offered = await frozenInSlices(all as Changes<never>, services.conductor.startSlices());
      const { accountId, userId, signal } = call;
      const work = { accountId, userId, end, signal };
      const inAccount = this.#hooks.workIn(services, afterCommit, work);
      await afterCommit.run(offered, Object.freeze({ ...call, inAccount }));
    };
    this.keep({ ...afterCommit, run });
  }

  /** Runs a type's `inTransaction` with what changed of it. */
  async #tell([name, changes]: News, unit: UnitOfWork): Promise<void> {
    const hook = this.#types.get(name)?.inTransaction;
    const inTransaction = namedHook(`inTransaction of ${name}`, hook);
    if (inTransaction === undefined) return;
    const offered = await frozenInSlices(changes as Changes<never>, unit.slices);
    const given = await this.run(
      inTransaction,
      unit.transaction,
      (call, tx) => inTransaction.run(offered, call, tx),
      unit,
    );
    this.divide(inTransaction.what, given);
  }

  /** Returns a frozen copy of a client's arguments: the engine goes on with the original. */
  async #copyOf(args: JsonObject): Promise<JsonObject> {
    return (await runInSlices(frozenCopy(args), this.context.startSlices())) as JsonObject;
  }

  /** Returns the hook file's additions to the method. */
  #extension(): MethodExtension {
    const { dataType, body } = this.context.method;
    return this.#types.get(dataType?.name ?? '')?.methods?.[body] ?? {};
  }
}

/** Returns what a call asks for as a hook gets it: each family of the type has its list. */
function offeredNames({ answered = [] }: DataTypeDefinition, asked: AskedValues): Asked {
  const families = new Map([...asked.families].map(([{ name }, names]) => [name, names]));
  return Object.freeze({
    properties: new Set(asked.plain.map(({ name }) => name)),
    families: frozen(
      Object.fromEntries(
        answered.flatMap(({ name, parts }) =>
          parts === undefined ? [] : [[name, families.get(name) ?? []]],
        ),
      ),
    ),
  });
}
