import type { JsonMap } from '../../src/client/json.js';
import type { Fault, ProxyRequest } from '../proxy.js';
import { ignoring, sent } from './makers.js';

/** Faults against keys by which a call or an upload is made once. */

const HEADER = 'idempotency-key';

/** Changes what a key came with; a request without one passes. */
const keyed = (change: (request: ProxyRequest, key: string) => ProxyRequest): Partial<Fault> => ({
  request: (one) => {
    const key = one.headers[HEADER];
    return key === undefined ? one : change(one, key);
  },
});

/** Returns what came first with a key. */
function rememberFirst<T>(): (key: string, now: T) => T {
  const first = new Map<string, T>();
  return (key, now) => {
    if (!first.has(key)) first.set(key, now);
    return first.get(key) ?? now;
  };
}

const findArguments = rememberFirst<JsonMap>();
const findUpload = rememberFirst<ProxyRequest>();

export const onceFaults: readonly Fault[] = [
  {
    name: 'onceKey is ignored',
    checks: ['once-again', 'once-other-arguments'],
    ...ignoring('set', 'onceKey'),
  },
  {
    name: 'other arguments under a onceKey are answered as the first ones',
    checks: ['once-other-arguments'],
    ...sent('set', (args) => {
      const { onceKey } = args;
      return typeof onceKey === 'string' ? findArguments(onceKey, args) : args;
    }),
  },
  {
    name: 'the key of an upload is ignored',
    checks: ['once-upload-again', 'once-upload-other-octets'],
    ...keyed((one) => {
      const { [HEADER]: _, ...headers } = one.headers;
      return { ...one, headers };
    }),
  },
  {
    name: 'other octets under a key are answered as the first ones',
    checks: ['once-upload-other-octets'],
    ...keyed((one, key) => findUpload(key, one)),
  },
];
