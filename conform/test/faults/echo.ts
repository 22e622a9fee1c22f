import type { Fault } from '../proxy.js';
import { onCalls, onResponses } from './makers.js';

export const echoFaults: readonly Fault[] = [
  {
    name: 'Core/echo tells its account',
    checks: ['echo', 'echo-any-json'],
    ...onResponses(([name, args, id]) => [name, { accountId: 'a', ...args }, id]),
  },
  {
    name: 'Core/echo wants an account that is there',
    checks: ['echo-account'],
    ...onResponses(([name, args, id]) =>
      'accountId' in args ? ['error', { type: 'accountNotFound' }, id] : [name, args, id],
    ),
  },
  {
    name: 'call ids are cut at 255 characters',
    checks: ['echo-call-ids'],
    ...onCalls(([name, args, id]) => [name, args, id.slice(0, 255)]),
  },
  {
    name: 'texts end at the character U+0000',
    checks: ['echo-null-character'],
    ...onResponses(
      (response) => JSON.parse(JSON.stringify(response).replaceAll('\\u0000', '')) as never,
    ),
  },
  {
    name: 'texts are normalised on their way',
    checks: ['echo-any-json'],
    ...onResponses((response) => JSON.parse(JSON.stringify(response).normalize('NFC')) as never),
  },
];
