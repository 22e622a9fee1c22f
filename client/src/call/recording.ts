import { escapeToken } from '../../../src/protocol/json-pointer.js';
import type { MethodGroup, Schema } from '../schema/tables.js';

/** A call as a program makes it. Its arguments may be references, which are functions. */
export interface RecordedCall {
  /** The method, `Todo/get`. */
  readonly name: string;
  readonly capability: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Where a reference points: into the answer of a call. */
export interface Target {
  readonly call: RecordedCall;
  /** A JSON Pointer with `*` (RFC 8620 3.7). */
  readonly path: string;
}

/** The member of a reference that has its target. */
const TARGET = Symbol('target');

/** Returns an object with each method of a project for an account, all made of one function. */
export function bindMethods<P>(
  { types, groups }: Schema<P>,
  accountId: string,
  call: (recorded: RecordedCall) => unknown,
): Record<string, object> {
  const bound: Record<string, object> = {};
  for (const group of [...types, ...groups] as MethodGroup[]) {
    const { name, capability, methods, withoutAccount } = group;
    const own = methods.map((method) => {
      const account = withoutAccount?.includes(method) ? {} : { accountId };
      const bind = (args: object = {}): unknown =>
        call({ name: `${name}/${method}`, capability, args: { ...account, ...args } });
      return [method, bind];
    });
    bound[name] = { ...bound[name], ...Object.fromEntries(own) };
  }
  return bound;
}

/**
 * Returns the reference to a value of an answer, by default the whole of it. Its members are
 * references to members, and calling its member `map` goes on with the items of a list.
 */
export function makeReference(call: RecordedCall, path = ''): unknown {
  const target: Target = { call, path };
  return new Proxy(() => undefined, {
    get: (_, name) => {
      if (name === TARGET) return target;
      // It isn't thenable: `await` takes it as it is.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      return makeReference(call, `${path}/${escapeToken(name)}`);
    },
    apply: (_, __, [pick]: [(item: unknown) => unknown]) =>
      pick(makeReference(call, path.replace(/map$/, '*'))),
  });
}

/** Returns where a reference points; undefined for all other values. */
export function readTarget(value: unknown): Target | undefined {
  return typeof value === 'function'
    ? (value as { readonly [TARGET]?: Target })[TARGET]
    : undefined;
}

/** Returns the same tree of objects with what belongs to each call in the place of it. */
export function mapTree(tree: unknown, values: ReadonlyMap<RecordedCall, unknown>): unknown {
  const call = readTarget(tree)?.call;
  if (call !== undefined) return values.get(call) ?? failForeign(call);
  const entries = Object.entries(tree as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([name, value]) => [name, mapTree(value, values)]));
}

/** Throws for a reference that a batch has from another one. */
export function failForeign({ name }: RecordedCall): never {
  throw new Error(`The reference to ${name} is of another batch.`);
}
