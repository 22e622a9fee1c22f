import type { DataTypeDefinition, StandardMethodName } from '../../capability/definition.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';

/** RFC 8620 5.1 to 5.6: every other argument is one that the descriptor adds. */
const STANDARD: ReadonlySet<string> = new Set(
  (
    'accountId ids properties sinceState maxChanges ifInState create update destroy fromAccountId ' +
    'ifFromInState onSuccessDestroyOriginal destroyFromIfInState filter sort position anchor ' +
    'anchorOffset limit calculateTotal sinceQueryState upToId'
  ).split(' '),
);

/**
 * Runs a standard method with what the type's hook file adds: `before` may replace its arguments,
 * `after` adds members to the response. Types without hooks pay nothing.
 */
export async function extended<Arguments extends object, Response extends object>(
  type: DataTypeDefinition,
  verb: StandardMethodName,
  args: Arguments,
  context: CallContext,
  run: (args: Arguments) => Promise<Response>,
): Promise<Response> {
  const hooks = context.services.registry.typeHooks.get(type.name);
  if (hooks === undefined) return run(args);
  const further = emptyObject();
  const standard = emptyObject();
  for (const [name, value] of Object.entries(args as JsonObject)) {
    (STANDARD.has(name) ? standard : further)[name] = value as JsonValue;
  }
  context.hooks.further = Object.freeze(further);
  const { before, after } = hooks.methods?.[verb] ?? {};
  const accountId = accountOf(context).id;
  const hooked = <T>(what: string, hook: Parameters<typeof context.hooks.run<T>>[3]): Promise<T> =>
    context.services.store.read(accountId, context, (snapshot) =>
      context.hooks.run(`${what} of ${type.name}/${verb}`, { snapshot, unit: null }, further, hook),
    );
  const wanted =
    before === undefined
      ? standard
      : await hooked('before', (call, reader) => before(standard, call, reader));
  // The account was judged: a hook can't choose another.
  const response = await run({ ...wanted, accountId } as unknown as Arguments);
  if (after === undefined) return response;
  const members = await hooked('after', (call, reader) =>
    after(response as unknown as JsonObject, call, reader),
  );
  return { ...response, ...members };
}
