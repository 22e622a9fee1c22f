import type { JsonObject } from '../../../src/protocol/json.js';
import type { Invocation, Request } from '../transport/transport.js';
import { type Arguments, countOctets, cutArguments, findCreationIds } from './cut.js';
import { MethodError } from './errors.js';
import { followPath } from './follow-path.js';
import { failForeign, readTarget, type Target } from './recording.js';
import { CORE, type Limit } from './session.js';
import { failWork, type Work } from './work.js';

/** A call of a request, for a part of its work. */
export interface PackedCall {
  readonly work: Work;
  readonly invocation: Invocation;
}

export interface PackOptions {
  readonly works: readonly Work[];
  /** The ids of what earlier requests created, by creation id. */
  readonly createdIds: ReadonlyMap<string, string>;
  readLimit(name: Limit): number;
}

/** Octets of a request besides its calls. */
const ENVELOPE = 1000;

/**
 * Takes the next calls, as many as one request may have. It stops at a call that needs an answer of
 * this request as a whole, where the server would have a part of it alone.
 */
export function packCalls(options: PackOptions): readonly PackedCall[] {
  const { works, readLimit } = options;
  const packed: PackedCall[] = [];
  let octets = ENVELOPE;
  for (const work of works) {
    if (work.outcome !== undefined) continue;
    work.parts ??= makeParts(work, packed, options);
    if (work.parts === undefined) return packed;
    while (work.sent < work.parts.length) {
      const invocation = writeInvocation(work);
      octets += measure(invocation, options.createdIds);
      const isFull =
        packed.length >= readLimit('maxCallsInRequest') || octets > readLimit('maxSizeRequest');
      if (isFull && packed.length > 0) return packed;
      packed.push({ work, invocation });
      work.sent += 1;
    }
  }
  return packed;
}

/** Returns the request with these calls. */
export function writeRequest(
  packed: readonly PackedCall[],
  createdIds: PackOptions['createdIds'],
): Request {
  const capabilities = packed.map(({ work }) => work.call.capability);
  const methodCalls = packed.map(({ invocation }) => invocation);
  const named = findCreated(JSON.stringify(methodCalls), createdIds);
  return {
    using: [...new Set([CORE, ...capabilities])],
    methodCalls,
    ...(named.length === 0 ? {} : { createdIds: Object.fromEntries(named) }),
  };
}

/** Returns what a JSON text names of earlier creates. */
function findCreated(
  json: string,
  createdIds: PackOptions['createdIds'],
): readonly (readonly [key: string, id: string])[] {
  return createdIds.size === 0
    ? []
    : findCreationIds(json).flatMap((key) => {
        const id = createdIds.get(key);
        return id === undefined ? [] : [[key, id] as const];
      });
}

function measure(invocation: Invocation, createdIds: PackOptions['createdIds']): number {
  const json = JSON.stringify(invocation);
  return countOctets(`${json},${JSON.stringify(findCreated(json, createdIds))}`);
}

/**
 * Returns the arguments of the calls that make up a work. The server resolves references to calls
 * of the same request, and this function all others. Undefined: one of them has no value yet.
 */
function makeParts(
  work: Work,
  packed: readonly PackedCall[],
  { works, readLimit }: PackOptions,
): readonly Arguments[] | undefined {
  const { name } = work.call;
  const args: Record<string, unknown> = {};
  const sources: Work[] = [];
  for (const [member, value] of Object.entries(work.call.args)) {
    const target = readTarget(value);
    const source = works.find(({ call }) => call === target?.call);
    if (target === undefined) {
      args[member] = value;
    } else if (source === undefined) {
      failForeign(target.call);
    } else if (source.outcome !== undefined) {
      const found = source.outcome.ok ? followPath(source.outcome.value, target.path) : undefined;
      if (found === undefined) return failReference(work, target);
      args[member] = found;
    } else if (source.parts?.length === 1 && packed.some((each) => each.work === source)) {
      args[`#${member}`] = { resultOf: source.id, name: source.call.name, path: target.path };
      sources.push(source);
    } else {
      return undefined;
    }
  }
  if (SORTED.test(name)) args['sort'] = writeSort(args['sort']);
  const maxOctets = readLimit('maxSizeRequest') * 0.9 - ENVELOPE;
  const parts = cutArguments(name, args, { readLimit, maxOctets });
  if (parts.length > 1 && sources.length > 0) return undefined;
  work.sources = sources;
  return parts;
}

function failReference(work: Work, { call, path }: Target): readonly Arguments[] {
  const description = `The answer to ${call.name} has no ${path}.`;
  const type = 'invalidResultReference';
  failWork(work, new MethodError(work.call.name, { type, description }));
  return [];
}

/** Methods that sort by Comparators (RFC 8620 5.5). */
const SORTED = /\/(query|queryChanges)$/;

/** Returns Comparators in the place of names of properties. */
export function writeSort(sort: unknown): unknown {
  if (!Array.isArray(sort)) return sort;
  return (sort as readonly unknown[]).map((by) =>
    typeof by === 'string'
      ? { property: by.replace(/^-/, ''), isAscending: !by.startsWith('-') }
      : by,
  );
}

/** Returns the call for the next part of a work. Each part goes on from the state of the last. */
function writeInvocation(work: Work): Invocation {
  const { id, call, parts, sent, answered, answer } = work;
  const callId = (part: number): string => (part === 0 ? id : `${id}.${part}`);
  const args: Record<string, unknown> = { ...parts?.[sent] };
  if (sent > 0 && typeof args['ifInState'] === 'string') {
    if (answered === sent) {
      args['ifInState'] = answer?.['newState'];
    } else {
      delete args['ifInState'];
      const resultOf = callId(sent - 1);
      args['#ifInState'] = { resultOf, name: call.name, path: '/newState' };
    }
  }
  return [call.name, args as JsonObject, callId(sent)];
}
