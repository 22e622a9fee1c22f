import type { DataTypeDefinition, StandardMethodName } from '../capability/definition.js';
import type { MethodExtension, TypeHooks } from '../capability/hooks.js';
import { accountOf } from '../methods/accounts.js';
import type { CallContext, StandardCall } from '../methods/context.js';
import { requireFilterWithinBounds } from '../methods/query/compile-filter.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { runInSlices } from '../runtime/slices.js';
import { furtherMembers, replacedArguments } from './judge.js';
import { withLateSnapshot } from './late-snapshot.js';
import type { ObjectReader } from './port.js';
import { scopeOf } from './scope.js';
import { frozenCopy, frozenInSlices } from './walks.js';

/** A call of a standard method, with what its hooks are told of it. */
interface ExtendedCall {
  readonly type: DataTypeDefinition;
  readonly verb: StandardMethodName;
  readonly context: CallContext;
}

/**
 * Runs a standard method with what the type's hook file adds: `before` may replace its arguments,
 * `after` adds members to the response.
 */
export async function extended<Arguments extends object, Response extends object>(
  hooks: TypeHooks,
  { type, verb, args }: StandardCall<Arguments>,
  context: CallContext,
  run: (args: Arguments, sent?: Arguments) => Promise<Response>,
): Promise<Response> {
  const call = { type, verb, context };
  const scope = scopeOf(context);
  const { further, standard } = split(args as JsonObject, context);
  scope.further = further;
  const { before, after } = hooks.methods?.[verb] ?? {};
  const wanted = before === undefined ? standard : await replaced(call, standard, before);
  if (after !== undefined) {
    const add = (response: object, reader: ObjectReader) =>
      completed(call, response, reader, after);
    // What writes completes its response before the commit: a failure of `after` undoes the call.
    if (context.method.account === 'write') scope.completeBy(add);
    else {
      const response = await run(callable(wanted, context));
      return withLateSnapshot(context, async (reader) => (await add(response, reader)) as Response);
    }
  }
  return before === undefined
    ? run(callable(wanted, context))
    : run(callable(wanted, context), args);
}

type Before = NonNullable<MethodExtension['before']>;
type After = NonNullable<MethodExtension['after']>;

/** The arguments of the RFC, and those that the descriptor adds. */
function split(
  args: JsonObject,
  { method }: CallContext,
): { readonly further: JsonObject; readonly standard: JsonObject } {
  const added = new Set(method.furtherArguments);
  const further = emptyObject();
  const standard = emptyObject();
  for (const [name, value] of Object.entries(args)) {
    (added.has(name) ? further : standard)[name] = value as JsonValue;
  }
  return { further: Object.freeze(further), standard };
}

/** The account was judged: a hook can't choose another. */
function callable<Arguments>(wanted: JsonObject, context: CallContext): Arguments {
  return { ...wanted, accountId: accountOf(context).id } as Arguments;
}

async function replaced(
  { type, verb, context }: ExtendedCall,
  standard: JsonObject,
  before: Before,
): Promise<JsonObject> {
  requireFilterWithinBounds(standard['filter'] ?? null);
  const what = `before of ${type.name}/${verb}`;
  const hooks = scopeOf(context);
  const { further } = hooks;
  const slices = context.startSlices();
  // A frozen copy: what the client sent stays known, and the engine may go on with it.
  const offered = (await runInSlices(frozenCopy(standard), slices)) as JsonObject;
  const wanted = await withLateSnapshot(context, (snapshot) =>
    hooks.run(what, { snapshot, unit: null }, further, (call, reader) =>
      before(offered, call, reader),
    ),
  );
  const scene = { sent: standard, offered, further };
  return runInSlices(replacedArguments(what, context.method, scene, wanted), slices);
}

async function completed(
  { type, verb, context }: ExtendedCall,
  response: object,
  snapshot: ObjectReader,
  after: After,
): Promise<object> {
  const what = `after of ${type.name}/${verb}`;
  const offered = await frozenInSlices(response as JsonObject, context.startSlices(true));
  const hooks = scopeOf(context);
  const reach = { snapshot, unit: null };
  const members = await hooks.run(what, reach, hooks.further, (call, reader) =>
    after(offered, call, reader),
  );
  return { ...response, ...furtherMembers(what, context.method, members) };
}
