import type { MethodExtension } from '../capability/hooks.js';
import { accountOf } from '../methods/accounts.js';
import type { StandardArguments } from '../methods/context.js';
import { requireFilterWithinBounds } from '../methods/query/query-plan.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { runInSlices } from '../runtime/slices.js';
import { furtherMembers, replacedArguments } from './judge.js';
import type { HookScope, Reads } from './scope.js';
import { frozenCopy, frozenInSlices } from './walks.js';

type Before = NonNullable<MethodExtension['before']>;
type After = NonNullable<MethodExtension['after']>;

/**
 * Returns what a standard method is run with: `before` may replace its arguments. Those that the descriptor
 * adds are for hooks alone.
 */
export async function prepareArguments(
  scope: HookScope,
  { before }: MethodExtension,
  args: JsonObject,
): Promise<StandardArguments> {
  const { context } = scope;
  const { further, standard } = split(args, context.method.furtherArguments);
  scope.giveArguments(further);
  if (before === undefined) return { args: standard };
  const wanted = await replaced(scope, before, { standard, further });
  // The account was judged: a hook can't choose another.
  return { args: { ...wanted, accountId: accountOf(context).id }, sent: args };
}

/** Arguments that a client sent. */
interface SentArguments {
  /** The arguments of the RFC. */
  readonly standard: JsonObject;
  /** Those that the descriptor adds. */
  readonly further: JsonObject;
}

function split(args: JsonObject, added: readonly string[] = []): SentArguments {
  const further = emptyObject();
  const standard = emptyObject();
  for (const [name, value] of Object.entries(args)) {
    (added.includes(name) ? further : standard)[name] = value as JsonValue;
  }
  return { further: Object.freeze(further), standard };
}

async function replaced(
  scope: HookScope,
  before: Before,
  { standard, further }: SentArguments,
): Promise<JsonObject> {
  const { context } = scope;
  const { method } = context;
  requireFilterWithinBounds(standard['filter'] ?? null);
  const what = `before of ${method.name}`;
  const slices = context.startSlices();
  // A frozen copy: what the client sent stays known, and the engine may go on with it.
  const offered = (await runInSlices(frozenCopy(standard), slices)) as JsonObject;
  const wanted = await scope.run(what, 'read', (call, reader) => before(offered, call, reader));
  const scene = { sent: standard, offered, further };
  return runInSlices(replacedArguments(what, method, scene, wanted), slices);
}

/** Returns the response with the members that `after` adds. */
export async function addMembers(
  scope: HookScope,
  after: After,
  response: object,
  reads: Reads,
): Promise<object> {
  const { context } = scope;
  const { method } = context;
  const what = `after of ${method.name}`;
  const offered = await frozenInSlices(response as JsonObject, context.startSlices(true));
  const members = await scope.run(what, reads, (call, reader) => after(offered, call, reader));
  return { ...response, ...furtherMembers(what, method, members) };
}
