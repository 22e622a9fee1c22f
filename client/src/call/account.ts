import type { Id } from '../schema/id.js';
import type { Schema } from '../schema/tables.js';
import { type Blobs, makeBlobs } from './blobs.js';
import type { Connection } from './connection.js';
import type { Gate } from './gate.js';
import type { Answers, CallTree, Mode, Outcome, Outcomes } from './methods.js';
import { bindMethods, makeReference, mapTree, type RecordedCall } from './recording.js';
import { runCalls } from './run.js';
import { readLimit, type Session } from './session.js';

/** A project's types by their names, in each mode. */
export type Project = { readonly [M in Mode]: object };

export interface CallOptions {
  /** Ends the calls: they reject with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** An account: the methods of each type, each call a request of its own. */
export type Account<P extends Project> = P['alone'] & AccountCalls<P>;

export interface AccountCalls<P extends Project> extends Blobs {
  readonly id: Id<'Account'>;
  /**
   * Sends the calls that `build` makes in one round trip. Rejects with the first MethodError.
   */
  batch<const Tree extends CallTree>(
    build: (types: P['batch']) => Tree,
    options?: CallOptions,
  ): Promise<Answers<Tree>>;
  /** The same, with the outcome of each call. Rejects only where the signal is aborted. */
  settled<const Tree extends CallTree>(
    build: (types: P['batch']) => Tree,
    options?: CallOptions,
  ): Promise<Outcomes<Tree>>;
}

/** Returns an account of a connection, with the methods of a project. */
export function makeAccount<P extends Project>(
  schema: Schema<P>,
  id: Id<'Account'>,
  connection: Connection,
  uploads: Gate,
): Account<P> {
  const run = (
    calls: readonly RecordedCall[],
    outer?: AbortSignal,
  ): Promise<readonly Outcome<unknown>[]> =>
    connection.scope.run(outer, (signal) =>
      runCalls(calls, {
        signal,
        readLimit: (name) => readLimit(connection.keeper.current(), name),
        send: (request) => connection.send(request, signal),
      }),
    );

  const settle = async (
    build: (types: P['batch']) => CallTree,
    { signal }: CallOptions = {},
    read: (outcome: Outcome<unknown> | undefined) => unknown = (outcome) => outcome,
  ): Promise<unknown> => {
    const calls: RecordedCall[] = [];
    const types = bindMethods(schema, id, (call) => {
      calls.push(call);
      return makeReference(call);
    });
    const tree = build(types);
    const outcomes = await run(calls, signal);
    return mapTree(tree, new Map(calls.map((call, index) => [call, read(outcomes[index])])));
  };
  return {
    ...bindMethods(schema, id, async (call) => readValue((await run([call]))[0])),
    ...makeBlobs(id, connection, uploads),
    id,
    batch: (build, options) => settle(build, options, readValue),
    settled: (build, options) => settle(build, options),
  } as Account<P>;
}

/** Returns the answer to a call, or throws why there is none. */
function readValue(outcome: Outcome<unknown> | undefined): unknown {
  if (outcome?.ok) return outcome.value;
  throw outcome?.error;
}

/** Returns the account that is the user's own for the types of a project (RFC 8620 2). */
export function findOwnAccount<P>(schema: Schema<P>, session: Session): Id<'Account'> {
  const { primaryAccounts, accounts } = session;
  const capability = schema.types.find((type) => primaryAccounts[type.capability])?.capability;
  const [first] = Object.keys(accounts);
  const id = capability === undefined ? first : primaryAccounts[capability];
  if (id === undefined) throw new Error('The user has no account.');
  return id;
}
