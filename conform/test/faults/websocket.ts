import { asMap, type JsonMap, parseJson } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { http, session, socketAnswers, socketTexts } from './makers.js';

const WEBSOCKET = 'urn:ietf:params:jmap:websocket';

/** Changes the members of RequestErrors. */
const errors = (change: (error: JsonMap) => JsonMap | number): Partial<Fault> =>
  socketAnswers((message) => (message['@type'] === 'RequestError' ? change(message) : message));

/** Changes the members of Responses. */
const responses = (change: (response: JsonMap) => JsonMap | number): Partial<Fault> =>
  socketAnswers((message) => (message['@type'] === 'Response' ? change(message) : message));

const ofType = (type: string) => (error: JsonMap) => String(error['type']).endsWith(`:${type}`);

let known = '';
let answers = 0;

export const websocketFaults: readonly Fault[] = [
  {
    name: 'the capability of WebSocket does not say whether it pushes',
    checks: ['ws-capability'],
    ...session(({ capabilities, ...one }) => {
      const { [WEBSOCKET]: told, ...others } = asMap(capabilities);
      return {
        ...one,
        capabilities: { ...others, [WEBSOCKET]: { url: asMap(told)['url'] ?? '' } },
      };
    }),
  },
  {
    name: 'a client that connected once may connect with any token',
    checks: ['ws-handshake-authenticated'],
    handshake: (offer) => {
      known = known === '' ? offer.authorization : known;
      return { ...offer, authorization: known };
    },
  },
  {
    name: 'a handshake is answered with another subprotocol that it offers',
    checks: ['ws-subprotocol-answered'],
    protocol: 'chat',
  },
  {
    name: 'any connection is one of JMAP',
    checks: ['ws-subprotocol-required', 'ws-handshake-refused'],
    handshake: (offer) => ({ ...offer, protocols: ['jmap'] }),
  },
  {
    name: 'a plain GET of the WebSocket’s URL is not found',
    checks: ['ws-handshake-refused'],
    ...http(
      ({ path }) => path.endsWith('/ws'),
      (answer) => ({ ...answer, status: 404 }),
    ),
  },
  {
    name: 'long messages are cut',
    checks: ['ws-compression', 'ws-concurrent', 'ws-request-ids'],
    message: (text, from) =>
      from === 'client' || text.length < 1500 ? text : `${text.slice(0, 900)}"}`,
  },
  {
    name: 'any extension is agreed to',
    checks: ['ws-extensions-unknown'],
    switching: ['Sec-WebSocket-Extensions: x-unknown'],
  },
  {
    name: 'a character that two fragments share is lost',
    checks: ['ws-fragments'],
    ...socketTexts((text) => text.replaceAll('🦊', '\ufffd\ufffd')),
  },
  {
    name: 'binary messages are taken for text',
    checks: ['ws-binary', 'ws-binary-closes'],
    binary: (octets) => octets.toString('utf8'),
  },
  {
    name: 'octets that are no UTF-8 are replaced',
    checks: ['ws-invalid-utf8', 'ws-invalid-utf8-code'],
    ...socketTexts((text) => text),
  },
  {
    name: 'connections are always closed with 1000',
    checks: ['ws-invalid-utf8-code', 'ws-binary-closes'],
    closed: () => 1000,
  },
  {
    name: 'pongs are empty',
    checks: ['ws-ping', 'ws-ping-octets'],
    pong: () => Buffer.alloc(0),
  },
  {
    name: 'pongs are text',
    checks: ['ws-ping-octets'],
    pong: (octets) => Buffer.from(octets.toString()).subarray(0, 125),
  },
  {
    name: 'connections break off in place of being closed',
    checks: ['ws-close'],
    closed: () => null,
  },
  {
    name: 'requests are not told apart',
    checks: [
      'ws-request',
      'ws-request-ids',
      'ws-created-ids',
      'ws-concurrent',
      'ws-concurrent-surplus',
      'ws-many-requests',
      'ws-ping',
    ],
    ...responses(({ requestId: _, ...answer }) => answer),
  },
  {
    name: 'a Response has no state of the session',
    checks: ['ws-request', 'ws-exact-members'],
    ...responses(({ sessionState: _, ...answer }) => answer),
  },
  {
    name: 'ids of requests are cut at 255 characters',
    checks: ['ws-request-ids'],
    ...responses((answer) =>
      'requestId' in answer
        ? { ...answer, requestId: String(answer['requestId']).slice(0, 255) }
        : answer,
    ),
  },
  {
    name: 'each request has an id, one way or another',
    checks: ['ws-no-id', 'ws-exact-members'],
    ...responses((answer) => ({ requestId: 'r0', ...answer })),
  },
  {
    name: 'a requestId is null where there was none',
    checks: ['ws-exact-members'],
    ...responses((answer) => ({ requestId: null, ...answer })),
  },
  {
    name: 'each Response has createdIds',
    checks: ['ws-created-ids', 'ws-exact-members', 'ws-same-answers', 'ws-same-words'],
    ...responses((answer) => ({ createdIds: {}, ...answer })),
  },
  {
    name: 'answers of several requests are mixed up',
    checks: [
      'ws-concurrent',
      'ws-concurrent-surplus',
      'ws-no-id-in-order',
      'ws-no-id-order',
      'ws-many-requests',
    ],
    ...responses((answer) => {
      answers += 1;
      return answers % 2 === 0 ? answer : { ...answer, methodResponses: [] };
    }),
  },
  {
    name: 'a connection serves ten requests',
    checks: ['ws-many-requests'],
    ...socketAnswers((message) => (/^r\d\d$/.test(String(message['requestId'])) ? 1000 : message)),
  },
  {
    name: 'an error has no type',
    checks: ['ws-not-json', 'ws-not-i-json', 'ws-not-request', 'ws-same-refusals'],
    ...errors(({ type: _, ...error }) => error),
  },
  {
    name: 'the last member of a name counts',
    checks: ['ws-not-i-json', 'ws-same-refusals'],
    ...socketTexts((text) => {
      const value = parseJson(text);
      return value === null || text === 'null' ? text : JSON.stringify(value).toWellFormed();
    }),
  },
  {
    name: 'JSON that is no request is notJSON',
    checks: ['ws-not-request', 'ws-type-required', 'ws-same-refusals', 'ws-push-wrong'],
    ...errors((error) => ({
      ...error,
      type: String(error['type']).replace('notRequest', 'notJSON'),
    })),
  },
  {
    name: 'the id of what is no request is not read',
    checks: ['ws-not-request', 'ws-type-required'],
    ...errors((error) => ({ ...error, requestId: null })),
  },
  {
    name: 'a message is a Request whatever its @type',
    checks: ['ws-not-request', 'ws-type-required'],
    ...socketTexts((text) => {
      const value = asMap(parseJson(text));
      return Array.isArray(value['methodCalls'])
        ? JSON.stringify({ ...value, '@type': 'Request' })
        : text;
    }),
  },
  {
    name: 'capabilities that nobody knows are fine',
    checks: ['ws-unknown-capability', 'ws-errors-end-nothing'],
    ...socketTexts((text) => text.replaceAll(/,?"urn:example:[\w-]+"/g, '')),
  },
  {
    name: 'the limit that a request goes beyond is not named',
    checks: ['ws-limit-calls', 'ws-limit-size'],
    ...errors(({ limit: _, ...error }) => error),
  },
  {
    name: 'a limit is told as a request that is none',
    checks: ['ws-limit-calls', 'ws-limit-size'],
    ...errors((error) => ({
      ...error,
      type: String(error['type']).replace('limit', 'notRequest'),
    })),
  },
  {
    name: 'errors of requests end the connection',
    checks: ['ws-errors-end-nothing', 'ws-not-json', 'ws-type-required'],
    ...errors(() => 1008),
  },
  {
    name: 'a capability that is unknown ends the connection',
    checks: ['ws-unknown-capability', 'ws-errors-end-nothing'],
    ...errors((error) => (ofType('unknownCapability')(error) ? 1002 : error)),
  },
  {
    name: 'a RequestError has a member of its own',
    checks: ['ws-exact-members', 'ws-same-words'],
    ...errors((error) => ({ ...error, code: 7 })),
  },
  {
    name: 'errors of calls have other types over a socket',
    checks: ['ws-same-answers', 'ws-same-words'],
    ...responses(
      (answer) =>
        JSON.parse(
          JSON.stringify(answer).replaceAll('unknownMethod', 'invalidArguments'),
        ) as JsonMap,
    ),
  },
  {
    name: 'errors of calls have other words over a socket',
    checks: ['ws-same-words'],
    ...responses(
      (answer) =>
        JSON.parse(
          JSON.stringify(answer).replaceAll('"description":"', '"description":"x '),
        ) as JsonMap,
    ),
  },
  {
    name: 'each change is pushed',
    checks: ['ws-nothing-unasked'],
    message: (text, from) =>
      from === 'server' && text.includes('newState')
        ? [text, '{"@type":"StateChange","changed":{}}']
        : text,
  },
];
