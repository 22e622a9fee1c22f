import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import { judgeCall } from './relations.js';
import type { FuzzRequest } from './request.js';
import type { Shapes } from './shapes.js';
import type { WireAnswer } from './wire.js';

/** The judgement of an answer, whatever the request was. */

export interface Judgement {
  /** The counted kinds: the status with the problem's type, or the answers of calls. */
  readonly kinds: readonly string[];
  /** The faults that no answer may have; empty for a good answer. */
  readonly wrong: readonly string[];
  /** The responses of a request that was run, with their calls. */
  readonly answered: readonly Answered[];
}

export interface Answered {
  /** For the implicit response of a copy that destroys, a call without arguments. */
  readonly call: Call;
  readonly isImplied: boolean;
  readonly name: string;
  readonly args: JsonMap;
}

/**
 * RFC 8620 3.6.2, 5.1 to 5.6, 6.3; RFC 9404 for unknownDataType. `serverFail` is a defect of ours.
 */
export const METHOD_ERRORS: ReadonlySet<Json | undefined> = new Set([
  'accountNotFound',
  'accountNotSupportedByMethod',
  'accountReadOnly',
  'anchorNotFound',
  'cannotCalculateChanges',
  'forbidden',
  'fromAccountNotFound',
  'fromAccountNotSupportedByMethod',
  'invalidArguments',
  'invalidResultReference',
  'requestTooLarge',
  'serverUnavailable',
  'stateMismatch',
  'tooManyChanges',
  'unknownDataType',
  'unknownMethod',
  'unsupportedFilter',
  'unsupportedSort',
]);

/** Errors that a call whose arguments are right is never answered with. */
const OF_WRONG_CALLS: ReadonlySet<Json | undefined> = new Set([
  'accountNotFound',
  'invalidArguments',
  'invalidResultReference',
  'unknownMethod',
  'unknownDataType',
  'unsupportedFilter',
  'unsupportedSort',
]);

const PROBLEMS: ReadonlySet<Json | undefined> = new Set(
  ['notJSON', 'notRequest', 'limit', 'unknownCapability'].map(
    (name) => `urn:ietf:params:jmap:error:${name}`,
  ),
);

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Judges the HTTP answer to a request; one that isn't plain may be refused as HTTP, too. */
export function judgeHttp(
  request: FuzzRequest,
  answer: WireAnswer,
  isPlain: boolean,
  shapes: Shapes,
): Judgement {
  const { status, headers, broken } = answer;
  if (broken !== null) return wrongly('broken HTTP', broken);
  if (status === 0) {
    return isPlain ? wrongly('no answer', 'no answer') : { ...NOTHING, kinds: ['closed'] };
  }
  const type = headers.get('content-type') ?? '';
  if (status === 200 && isPlain) {
    if (type !== 'application/json') return wrongly('200', `the content type is ${type}`);
    return judgeResponse(request, parsed(answer.body), shapes);
  }
  if (status < 400) return isPlain ? wrongly('status', `status ${status}`) : other(`${status}`);
  if (!type.startsWith('application/problem+json')) {
    // HEAD has no body, and an answer to what is no HTTP need not have one.
    const isEmpty = answer.body.length === 0 && !isPlain;
    return isEmpty ? other(`${status}`) : wrongly(`${status}`, `the content type is ${type}`);
  }
  if (answer.body.length === 0 && !isPlain) return other(`${status}`);
  return judgeProblem(request, status, parsed(answer.body), isPlain);
}

const NOTHING: Judgement = Object.freeze({ kinds: [], wrong: [], answered: [] });
const other = (kind: string): Judgement => ({ ...NOTHING, kinds: [kind] });
const wrongly = (kind: string, ...wrong: readonly string[]): Judgement => ({
  kinds: [kind],
  wrong,
  answered: [],
});

export function parsed(octets: Buffer): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(octets)) as Json;
  } catch {
    return undefined;
  }
}

/** RFC 7807, RFC 8620 3.6.1. */
export function judgeProblem(
  request: FuzzRequest,
  status: number,
  body: Json | undefined,
  isPlain: boolean,
): Judgement {
  if (!isMap(body)) return wrongly(`${status}`, 'the problem is no object');
  const { type, detail, limit } = body;
  const short = String(type).replace('urn:ietf:params:jmap:error:', '');
  const kind = `${status} ${short}${limit === undefined ? '' : ` ${String(limit)}`}`;
  const wrong: string[] = [];
  if (body['status'] !== status) wrong.push(`the problem's status is ${String(body['status'])}`);
  if (typeof detail !== 'string' || detail === '') wrong.push('the problem has no detail');
  if (status >= 500 && status !== 503) wrong.push(`status ${status}`);
  if (!PROBLEMS.has(type) && type !== 'about:blank') wrong.push(`a problem ${short}`);
  if ((short === 'limit') !== (typeof limit === 'string'))
    wrong.push(`the limit is ${String(limit)}`);
  if (isPlain && status !== 503 && !PROBLEMS.has(type)) wrong.push(`status ${status}: ${short}`);
  if (isPlain && status !== 503 && status !== 400) wrong.push(`status ${status}`);
  if (isPlain && request.clean) wrong.push(`a valid request was refused: ${kind}`);
  if (isPlain && request.verdict === 'notJSON' && !/notJSON|limit|blank/.test(short)) {
    wrong.push(`what is no I-JSON was ${short}`);
  }
  return { kinds: [kind], wrong, answered: [] };
}

/** RFC 8620 3.4. `more` are members of another transport. */
export function judgeResponse(
  request: FuzzRequest,
  body: Json | undefined,
  shapes: Shapes,
  more: readonly string[] = [],
): Judgement {
  if (!isMap(body)) return wrongly('200', 'the response is no object');
  if (request.verdict === 'notJSON') return wrongly('200', 'what is no I-JSON was run');
  const sent = parsed(request.octets);
  const calls = callsOf(sent);
  if (calls === null || !isMap(sent)) return wrongly('200', 'what is no request was run');
  const wrong: string[] = [];
  const names = new Set(['methodResponses', 'createdIds', 'sessionState', ...more]);
  for (const name of Object.keys(body)) {
    if (!names.has(name)) wrong.push(`the response has ${name}`);
  }
  const { methodResponses, createdIds, sessionState } = body;
  if (typeof sessionState !== 'string' || sessionState === '') wrong.push('no sessionState');
  const hasIds = Object.hasOwn(sent, 'createdIds');
  if (hasIds !== isMap(createdIds)) wrong.push('createdIds are those of no such request');
  if (!Array.isArray(methodResponses)) return wrongly('200', ...wrong, 'no methodResponses');
  const answered = matched(calls, methodResponses, wrong);
  for (const one of answered) judgeAnswer(one, request.clean, shapes, wrong);
  const kinds = answered.map(({ name, args }) =>
    name === 'error' ? `200 error ${String(args['type'])}` : `200 ${name}`,
  );
  return { kinds, wrong, answered };
}

/** Null where a body is no Request of RFC 8620 3.3. */
function callsOf(sent: Json | undefined): Call[] | null {
  if (!isMap(sent)) return null;
  const { using, methodCalls } = sent;
  const isRequest =
    Array.isArray(using) &&
    using.every((one) => typeof one === 'string') &&
    Array.isArray(methodCalls) &&
    methodCalls.every(
      (call) =>
        Array.isArray(call) &&
        call.length === 3 &&
        typeof call[0] === 'string' &&
        isMap(call[1]) &&
        typeof call[2] === 'string',
    );
  return isRequest ? (methodCalls as unknown as Call[]) : null;
}

/** Each call has one response with its id, in order; a copy that destroys has one more (5.4). */
function matched(calls: readonly Call[], responses: readonly Json[], wrong: string[]): Answered[] {
  const answered: Answered[] = [];
  let at = 0;
  const next = (call: Call, names: readonly string[]): void => {
    const response = responses[at];
    const [name, args, callId] = Array.isArray(response) ? response : [];
    if (!Array.isArray(response) || response.length !== 3 || !isMap(args)) {
      wrong.push(`response ${at} is no invocation`);
    } else if (callId !== call[2]) {
      wrong.push(`response ${at} has the id ${String(callId)}, not ${call[2]}`);
    } else if (typeof name !== 'string' || !names.includes(name)) {
      wrong.push(`response ${at} to ${call[0]} is ${String(name)}`);
    } else {
      answered.push({ call, name, args, isImplied: !calls.includes(call) });
    }
    at += 1;
  };
  for (const call of calls) {
    next(call, [call[0], 'error']);
    const implied = call[0].replace(/[/]copy$/, '/set');
    const last = answered.at(-1);
    const destroys =
      implied !== call[0] && last?.name === call[0] && Object.keys(call[1]).some(DESTROYS);
    const following = responses[at];
    const isImplied =
      destroys &&
      Array.isArray(following) &&
      following[2] === call[2] &&
      (following[0] === implied || following[0] === 'error') &&
      responses.length - at > calls.length - calls.indexOf(call) - 1;
    if (isImplied) next([implied, {}, call[2]], [implied, 'error']);
  }
  if (at !== responses.length) wrong.push(`${responses.length} responses to ${calls.length} calls`);
  return answered;
}

const DESTROYS = (name: string): boolean => /on_?success_?destroy_?original/i.test(name);

function judgeAnswer(answer: Answered, isClean: boolean, shapes: Shapes, wrong: string[]): void {
  const { call, name, args } = answer;
  if (name === 'error') {
    const { type, description } = args;
    if (!METHOD_ERRORS.has(type))
      wrong.push(`${call[0]} answered ${String(type)}: ${String(description)}`);
    if (typeof description !== 'string') wrong.push(`${String(type)} has no description`);
    if (type === 'unknownMethod' && shapes.has(call[0]) && isClean) wrong.push('a known method');
    if (isClean && OF_WRONG_CALLS.has(type)) {
      wrong.push(`a valid ${call[0]} was refused: ${String(type)}: ${String(description)}`);
    }
    return;
  }
  const validate = shapes.get(name);
  if (validate === undefined) {
    wrong.push(`${name} is no method, and was answered`);
    return;
  }
  if (!validate(args)) {
    const [first] = validate.errors ?? [];
    wrong.push(`${name} answered ${first?.instancePath ?? ''} ${first?.message ?? ''}`);
    return;
  }
  if (name === 'Core/echo' && !isEcho(call[1] as JsonMap, args)) wrong.push('no echo');
  if (!answer.isImplied) judgeCall(answer, wrong);
}

/** A number that is no double, and a former reference, are left out. */
function isEcho(sent: JsonMap, answered: JsonMap): boolean {
  if (Object.keys(sent).some((name) => name.startsWith('#'))) return true;
  const text = JSON.stringify(sent);
  return text === JSON.stringify(answered) || isDeepStrictEqual(JSON.parse(text), answered);
}
