import type { Call, MethodResponse } from '../../src/client/answers.js';
import { asMap, type Json, type JsonMap, parseJson } from '../../src/client/json.js';
import type { Fault, ProxyAnswer, ProxyRequest } from '../proxy.js';

/**
 * Ways to be wrong that many faults share. A message that is no API request or no Response passes
 * as it is.
 */

type Change<T> = (value: T) => T;

/** Stands for the response of a /query that finds nothing. */
export const NO_RESULTS: JsonMap = {
  accountId: 'a',
  queryState: '0',
  canCalculateChanges: false,
  position: 0,
  ids: [],
};

/** The same fault over HTTP and over WebSocket. */
function envelope(
  onRequest: Change<JsonMap> | null,
  onAnswer: Change<JsonMap> | null,
): Partial<Fault> {
  const changed = (text: string, change: Change<JsonMap>, has: string): string => {
    const value = asMap(parseJson(text));
    return Array.isArray(value[has]) ? JSON.stringify(change(value)) : text;
  };
  return {
    ...(onRequest === null
      ? {}
      : {
          request: (one: ProxyRequest) => ({
            ...one,
            body: Buffer.from(changed(one.body.toString('utf8'), onRequest, 'methodCalls')),
          }),
        }),
    ...(onAnswer === null
      ? {}
      : {
          answer: (one: ProxyAnswer) =>
            withBody(one, changed(one.body.toString('utf8'), onAnswer, 'methodResponses')),
        }),
    message: (text, from) => {
      if (from === 'client')
        return onRequest === null ? text : changed(text, onRequest, 'methodCalls');
      return onAnswer === null ? text : changed(text, onAnswer, 'methodResponses');
    },
  };
}

export function withBody(answer: ProxyAnswer, text: string): ProxyAnswer {
  const body = Buffer.from(text);
  return { ...answer, headers: { ...answer.headers, 'content-length': String(body.length) }, body };
}

/** Changes the whole request (RFC 8620 3.3). */
export const onRequest = (change: Change<JsonMap>): Partial<Fault> => envelope(change, null);

/** Changes the whole Response (RFC 8620 3.4). */
export const onResponse = (change: Change<JsonMap>): Partial<Fault> => envelope(null, change);

/** Changes each call. */
export const onCalls = (change: Change<Call>): Partial<Fault> =>
  onRequest((request) => ({
    ...request,
    methodCalls: (request['methodCalls'] as unknown as Call[]).map(change) as unknown as Json,
  }));

/** Changes each method response. */
export const onResponses = (change: Change<MethodResponse>): Partial<Fault> =>
  onResponse((response) => ({
    ...response,
    methodResponses: (response['methodResponses'] as unknown as MethodResponse[]).map(
      change,
    ) as unknown as Json,
  }));

/**
 * Changes the arguments of the calls of a method: `sent('changes', ...)` of each type's /changes.
 */
export const sent = (verb: string, change: Change<JsonMap>): Partial<Fault> =>
  onCalls(([name, args, id]) =>
    name.endsWith(`/${verb}`) ? [name, change({ ...args } as JsonMap), id] : [name, args, id],
  );

/** Changes the arguments of the responses of a method. */
export const changeResponses = (verb: string, change: Change<JsonMap>): Partial<Fault> =>
  onResponses(([name, args, id]) =>
    name.endsWith(`/${verb}`) ? [name, change({ ...args }), id] : [name, args, id],
  );

/** Changes one member of the responses of a method, where they have it. */
export const member = (verb: string, name: string, change: Change<Json>): Partial<Fault> =>
  changeResponses(verb, (args) =>
    args[name] === undefined ? args : { ...args, [name]: change(args[name]) },
  );

/** Changes a list in the responses of a method. */
export const list = (verb: string, name: string, change: Change<Json[]>): Partial<Fault> =>
  member(verb, name, (value) => (Array.isArray(value) ? change(value) : value));

/** Forgets one member. */
export const without = (verb: string, name: string): Partial<Fault> =>
  changeResponses(verb, ({ [name]: _, ...args }) => args);

/** Ignores an argument. */
export const ignoring = (verb: string, name: string): Partial<Fault> =>
  sent(verb, ({ [name]: _, ...args }) => args);

/** Calls one error by another's name, wherever it stands. */
export const renamed = (from: string, to: string): Partial<Fault> =>
  onResponses(
    (response) =>
      JSON.parse(
        JSON.stringify(response).replaceAll(`"type":"${from}"`, `"type":"${to}"`),
      ) as MethodResponse,
  );

/** Answers a method error as if nothing had been wrong. */
export const forgiving = (type: string, verb: string, answer: JsonMap): Partial<Fault> =>
  onResponses(([name, args, id]) =>
    name === 'error' && args['type'] === type ? [`Any/${verb}`, answer, id] : [name, args, id],
  );

/** Takes an operation of /set that was refused as done. */
export const accepted = (type: string): Partial<Fault> =>
  changeResponses('set', (args) => {
    const now: JsonMap = { ...args };
    for (const [failed, done] of [
      ['notCreated', 'created'],
      ['notUpdated', 'updated'],
      ['notDestroyed', 'destroyed'],
    ] as const) {
      const refused = Object.entries(asMap(args[failed]));
      const taken = refused.filter(([, error]) => asMap(error)['type'] === type);
      if (taken.length === 0) continue;
      const rest = refused.filter((one) => !taken.includes(one));
      now[failed] = rest.length === 0 ? null : Object.fromEntries(rest);
      if (done === 'destroyed') {
        const gone = Array.isArray(args[done]) ? args[done] : [];
        now[done] = [...gone, ...taken.map(([key]) => key)];
        continue;
      }
      const objects = taken.map(([key]) => [key, { id: 'r0nothing' }] as const);
      now[done] = { ...asMap(args[done]), ...Object.fromEntries(objects) };
    }
    return now;
  });

/** Changes each value of a map, where there is one; its key goes along. */
export const values = (map: Json | undefined, change: (value: Json, key: string) => Json): Json =>
  map === null || map === undefined || typeof map !== 'object' || Array.isArray(map)
    ? (map ?? null)
    : Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));

/** Changes the entries of a map. */
export const entries = (
  map: Json | undefined,
  change: (all: [string, Json][]) => readonly (readonly [string, Json])[],
): Json => Object.fromEntries(change(Object.entries(asMap(map))));

/** Changes each object that a /set is to create. */
export const creates = (change: Change<JsonMap>): Partial<Fault> =>
  sent('set', (args) =>
    args['create'] === undefined
      ? args
      : { ...args, create: values(args['create'], (one) => (isMap(one) ? change(one) : one)) },
  );

/** Changes each patch of a /set. */
export const patches = (change: Change<JsonMap>): Partial<Fault> =>
  sent('set', (args) =>
    args['update'] === undefined
      ? args
      : { ...args, update: values(args['update'], (one) => (isMap(one) ? change(one) : one)) },
  );

/** Changes what each object of a /copy is given. */
export const copies = (change: Change<JsonMap>): Partial<Fault> =>
  sent('copy', (args) => ({
    ...args,
    create: values(args['create'], (one) => change(asMap(one))),
  }));

const isMap = (value: Json): value is JsonMap =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Changes what is told of each object that was created. */
export const reported = (change: Change<JsonMap>): Partial<Fault> =>
  changeResponses('set', (args) => ({
    ...args,
    created: values(args['created'], (one) => change(asMap(one))),
  }));

/** Changes each SetError. */
export const setErrors = (change: Change<JsonMap>): Partial<Fault> =>
  changeResponses('set', (args) => {
    const now: JsonMap = { ...args };
    for (const name of ['notCreated', 'notUpdated', 'notDestroyed'])
      now[name] = values(args[name], (one) => change(asMap(one)));
    return now;
  });

/** Changes each object that a /get lists. */
export const items = (change: Change<JsonMap>): Partial<Fault> =>
  list('get', 'list', (all) => all.map((one) => change(asMap(one))));

/** Changes each string within a value, keys of maps too. */
export function strings(value: Json, change: Change<string>): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => strings(one, change));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [change(key), strings(inner, change)]),
  );
}

/** Without the members that a test says yes to. */
export const dropping = (object: JsonMap, drops: (key: string, value: Json) => boolean): JsonMap =>
  Object.fromEntries(Object.entries(object).filter(([key, value]) => !drops(key, value)));

/** Changes the Session object. */
export const session = (change: Change<JsonMap>): Partial<Fault> => ({
  answer: (answer) => {
    const value = asMap(parseJson(answer.body.toString('utf8')));
    if (typeof value['apiUrl'] !== 'string') return answer;
    return withBody(answer, JSON.stringify(change(value)));
  },
});

/** Changes an answer of HTTP, where a request is of this kind. */
export const http = (
  is: (request: ProxyRequest) => boolean,
  change: (answer: ProxyAnswer, request: ProxyRequest) => ProxyAnswer,
): Partial<Fault> => ({
  answer: (answer, request) => (is(request) ? change(answer, request) : answer),
});

/** Changes the messages of a WebSocket that a server sends. */
export const socketAnswers = (change: (message: JsonMap) => JsonMap | number): Partial<Fault> => ({
  message: (text, from) => {
    if (from === 'client') return text;
    const now = change(asMap(parseJson(text)));
    return typeof now === 'number' ? now : JSON.stringify(now);
  },
});

/** Changes those that a client sends, as text. */
export const socketTexts = (change: Change<string>): Partial<Fault> => ({
  message: (text, from) => (from === 'client' ? change(text) : text),
});

/** Changes the events of an event source that have this name. */
export const events = (name: string, change: Change<string>): Partial<Fault> => ({
  event: (event) => (event.includes(`event: ${name}`) ? change(event) : event),
});

/** Changes what a client asks the event source for. */
export const eventQuery = (change: (query: URLSearchParams) => void): Partial<Fault> => ({
  request: (one) => {
    const url = new URL(one.path, 'http://localhost');
    if (!url.searchParams.has('closeafter')) return one;
    change(url.searchParams);
    return { ...one, path: `${url.pathname}${url.search}` };
  },
});
/**
 * Takes a request that is rejected with a type of problem (RFC 8620 3.6.1), as if it had no calls.
 */
export const taking = (type: string): Partial<Fault> => {
  const nothing = { methodResponses: [], sessionState: 's' };
  const isOne = (problem: JsonMap): boolean =>
    problem['type'] === `urn:ietf:params:jmap:error:${type}`;
  return {
    answer: (answer) =>
      isOne(asMap(parseJson(answer.body.toString('utf8'))))
        ? withBody(
            { ...answer, status: 200, headers: { 'content-type': 'application/json' } },
            JSON.stringify(nothing),
          )
        : answer,
    message: (text, from) => {
      const value = asMap(parseJson(text));
      if (from === 'client' || !isOne(value)) return text;
      const requestId = value['requestId'] ?? null;
      return JSON.stringify({ '@type': 'Response', requestId, ...nothing });
    },
  };
};

/** Rejects requests over HTTP that should be taken. */
export const rejecting = (
  is: (request: ProxyRequest) => boolean,
  type: string,
  more: JsonMap = {},
): Partial<Fault> =>
  http(is, (answer) =>
    withBody(
      { ...answer, status: 400, headers: { 'content-type': 'application/problem+json' } },
      JSON.stringify({
        type: `urn:ietf:params:jmap:error:${type}`,
        status: 400,
        detail: '',
        ...more,
      }),
    ),
  );
