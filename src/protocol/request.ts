import { RequestError } from './errors.js';
import { excerpt } from './excerpt.js';
import { isId } from './ids.js';
import { isJsonObject, type JsonObject, type JsonValue, memberOf } from './json.js';

/** A method call of a request (RFC 8620 3.2). */
export interface Invocation {
  readonly name: string;
  readonly args: JsonObject;
  readonly callId: string;
}

/** A Request object (RFC 8620 3.3) whose shape has been checked. */
export interface RequestEnvelope {
  readonly using: ReadonlySet<string>;
  readonly methodCalls: readonly Invocation[];
  /** Null where the request has none: then the response has none either. */
  readonly createdIds: ReadonlyMap<string, string> | null;
  /** The request asks what its calls did. */
  readonly explain: boolean;
}

export interface RequestOptions {
  readonly maxCallsInRequest: number;
  /** Returns whether the session advertises a capability. */
  hasCapability(urn: string): boolean;
  /**
   * The capability by which the member `explain` has a meaning; without it the member is ignored.
   */
  readonly explainCapability?: string | undefined;
}

/** How many entries `createdIds` of a request may have. */
const MAX_CREATED_IDS = 4096;

/**
 * Checks a parsed body against RFC 8620 3.3, before any call is run. Members that the RFC doesn't
 * name are ignored. Throws RequestError: `notRequest` for a wrong shape, then `unknownCapability`,
 * then `limit`.
 */
export function parseRequest(value: JsonValue, options: RequestOptions): RequestEnvelope {
  if (!isJsonObject(value)) notRequest('A Request must be a JSON object.');
  const { using, unknown } = parseUsing(memberOf(value, 'using'), options.hasCapability);
  const methodCalls = parseCalls(memberOf(value, 'methodCalls'));
  const createdIds = parseCreatedIds(memberOf(value, 'createdIds'));
  if (unknown !== null) {
    const detail = `The server has no capability "${excerpt(unknown)}".`;
    throw new RequestError('unknownCapability', detail);
  }
  const explain = parseExplain(memberOf(value, 'explain'), using, options.explainCapability);
  limit('maxCallsInRequest', methodCalls.length, options.maxCallsInRequest);
  limit('maxCreatedIdsInRequest', createdIds?.size ?? 0, MAX_CREATED_IDS);
  return { using, methodCalls, createdIds, explain };
}

/**
 * Returns the capabilities of a request, and the first that the server doesn't have: behind it none
 * is looked up.
 */
function parseUsing(
  value: JsonValue | undefined,
  hasCapability: RequestOptions['hasCapability'],
): { readonly using: ReadonlySet<string>; readonly unknown: string | null } {
  if (!Array.isArray(value)) notRequest('"using" must be an array of strings.');
  const using = new Set<string>();
  let unknown: string | null = null;
  for (const urn of value) {
    if (typeof urn !== 'string') notRequest('"using" must hold strings alone.');
    if (unknown !== null || using.has(urn)) continue;
    if (hasCapability(urn)) using.add(urn);
    else unknown = urn;
  }
  return { using, unknown };
}

function parseCalls(value: JsonValue | undefined): readonly Invocation[] {
  if (!Array.isArray(value)) notRequest('"methodCalls" must be an array of method calls.');
  return value.map(parseInvocation);
}

function parseInvocation(call: JsonValue, index: number): Invocation {
  const at = `methodCalls[${index}]`;
  if (!Array.isArray(call) || call.length !== 3) {
    notRequest(`${at} must be an array of three: method name, arguments, method call id.`);
  }
  const [name, args, callId] = call as readonly JsonValue[];
  if (typeof name !== 'string') notRequest(`${at}[0], the method name, must be a string.`);
  if (!isJsonObject(args)) notRequest(`${at}[1], the arguments, must be an object.`);
  if (typeof callId !== 'string') notRequest(`${at}[2], the method call id, must be a string.`);
  return { name, args, callId };
}

function parseCreatedIds(value: JsonValue | undefined): ReadonlyMap<string, string> | null {
  if (value === undefined) return null;
  if (!isJsonObject(value)) notRequest('"createdIds" must be an object.');
  const createdIds = new Map<string, string>();
  for (const [creationId, id] of Object.entries(value)) {
    if (!isId(creationId)) notRequest(`"createdIds": "${excerpt(creationId)}" is no Id.`);
    if (typeof id !== 'string' || !isId(id)) {
      notRequest(`"createdIds": the value of "${creationId}" must be an Id.`);
    }
    createdIds.set(creationId, id);
  }
  return createdIds;
}

/**
 * Clients may list every capability of the session in `using`, so a request asks to be explained by
 * a member of its own. A request that doesn't list the capability doesn't know the member (3.3).
 */
function parseExplain(
  value: JsonValue | undefined,
  using: ReadonlySet<string>,
  capability: string | undefined,
): boolean {
  if (value === undefined || capability === undefined || !using.has(capability)) return false;
  if (typeof value !== 'boolean') notRequest('"explain" must be true or false.');
  return value;
}

function limit(name: string, count: number, maximum: number): void {
  if (count <= maximum) return;
  const detail = `The request has ${count}, more than ${name} (${maximum}).`;
  throw new RequestError('limit', detail, { limit: name });
}

function notRequest(detail: string): never {
  throw new RequestError('notRequest', detail);
}
