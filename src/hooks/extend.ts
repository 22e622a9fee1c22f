import type { MethodExtension } from '../capability/hooks.js';
import { accountOf } from '../methods/accounts.js';
import type { RunStandard } from '../methods/context.js';
import { requireFilterWithinBounds } from '../methods/query/query-plan.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { runInSlices } from '../runtime/slices.js';
import { furtherMembers, replacedArguments } from './judge.js';
import type { HookScope, Reads } from './scope.js';
import { frozenCopy, frozenInSlices } from './walks.js';

type Before = NonNullable<MethodExtension['before']>;
type After = NonNullable<MethodExtension['after']>;

/**
 * Runs a standard method with what the type's hook file adds: `before` may replace its arguments,
 * `after` adds members to the response.
 */
export async function runExtended(
  scope: HookScope,
  { before, after }: MethodExtension,
  args: JsonObject,
  run: RunStandard,
): Promise<object> {
  const { context } = scope;
  const { further, standard } = split(args, context.method.furtherArguments);
  scope.giveArguments(further);
  const sent = { standard, further };
  const wanted = before === undefined ? standard : await replaced(scope, before, sent);
  // The account was judged: a hook can't choose another.
  const callable = { ...wanted, accountId: accountOf(context).id };
  const response = await run(callable, before === undefined ? undefined : args);
  // What writes has completed its response before the commit.
  const isComplete = after === undefined || context.method.account === 'write';
  return isComplete ? response : addMembers(scope, after, response, 'read');
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
