import { asMap, type JsonMap, parseJson } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { socketAnswers } from './makers.js';

/** Changes what a client sends to begin or end push. */
const asked = (type: string, change: (message: JsonMap) => JsonMap | null): Partial<Fault> => ({
  message: (text, from) => {
    const message = asMap(parseJson(text));
    if (from === 'server' || message['@type'] !== type) return text;
    const now = change(message);
    return now === null ? [] : JSON.stringify(now);
  },
});
const enabling = (change: (message: JsonMap) => JsonMap | null) =>
  asked('WebSocketPushEnable', change);

/** Changes each StateChange. */
const stateChanges = (change: (message: JsonMap) => JsonMap): Partial<Fault> =>
  socketAnswers((message) => (message['@type'] === 'StateChange' ? change(message) : message));

let first: JsonMap | null = null;

export const websocketPushFaults: readonly Fault[] = [
  {
    name: 'a state that is pushed is another one than that of /get',
    checks: ['ws-push-state', 'ws-push-unknown-state'],
    ...stateChanges(
      (message) =>
        JSON.parse(JSON.stringify(message).replaceAll(/":"(\w+)"}/g, '":"$1x"}')) as JsonMap,
    ),
  },
  {
    name: 'what is pushed has no @type',
    checks: ['ws-push-state'],
    ...stateChanges(({ '@type': _, ...message }) => message),
  },
  {
    name: 'all types are pushed, whichever were asked for',
    checks: ['ws-push-types', 'ws-push-none', 'ws-push-replaced'],
    ...enabling((message) => ({ ...message, dataTypes: null })),
  },
  {
    name: 'push goes on when it is disabled',
    checks: ['ws-push-disable'],
    ...asked('WebSocketPushDisable', () => null),
  },
  {
    name: 'what is pushed once is pushed for ever',
    checks: ['ws-push-replaced'],
    ...enabling((message) => {
      const types = message['dataTypes'];
      if (Array.isArray(types) && types.length > 0) first = message;
      return first ?? message;
    }),
  },
  {
    name: 'pushState is not read',
    checks: ['ws-push-missed'],
    ...enabling(({ pushState: _, ...message }) => message),
  },
  {
    name: 'pushState is always the same',
    checks: ['ws-push-missed'],
    ...stateChanges((message) => ({ ...message, pushState: 'the same' })),
  },
  {
    name: 'all states are pushed to whoever has a pushState',
    checks: ['ws-push-missed-nothing'],
    ...enabling((message) => ('pushState' in message ? { ...message, pushState: 'all' } : message)),
  },
  {
    name: 'a pushState that is unknown enables nothing',
    checks: ['ws-push-unknown-state'],
    ...enabling((message) => (message['pushState'] === 'x-nobody' ? null : message)),
  },
  {
    name: 'a wrong enable begins push of all types',
    checks: ['ws-push-wrong'],
    ...enabling((message) => {
      const types = message['dataTypes'];
      const isWrong = types !== null && !Array.isArray(types);
      return isWrong ? { ...message, dataTypes: null } : message;
    }),
  },
];
