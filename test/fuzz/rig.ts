import { BLOB, CORE } from '../support/client.js';
import type { Fixtures } from '../support/fixtures.js';
import type { RunningServer } from '../support/server.js';
import type { FuzzOptions } from './fuzz.js';
import { fuzzWorld } from './world.js';

export const METRICS_TOKEN = 'fuzz-metrics';

/** Limits that requests of moderate size cross, so that the other side of each is seen often. */
export const FUZZ_ENV = Object.freeze({
  METRICS_TOKEN,
  // Signals are told to the main thread alone; Windows has none.
  NODE_OPTIONS: `--import=${new URL('collect.mjs', import.meta.url).href}`,
  MAX_SIZE_REQUEST: '100000',
  MAX_SIZE_RESPONSE: '300000',
  MAX_CONCURRENT_REQUESTS: '64',
  MAX_OBJECTS_IN_GET: '500',
  MAX_OBJECTS_IN_SET: '100',
  QUERY_MAX_LIMIT: '5000',
});

const PROJECT = ['core', 'blob', 'todos'].map((name) => `../../capabilities/${name}.yaml`);
/** Todo alone, as the repository's own server has it. */
export const PROJECT_WORLD = fuzzWorld(...PROJECT);
/** With the rich types of the black-box cases, as the shared project has them. */
export const GADGET_WORLD = fuzzWorld(...PROJECT, '../conformance/gadget.yaml');

export function fuzzOptions(
  server: RunningServer,
  fixtures: Fixtures,
): Pick<FuzzOptions, 'server' | 'client' | 'metricsToken' | 'accounts'> {
  const { u1, A1, A2, AR, AX } = fixtures;
  return {
    server,
    client: u1.with([CORE, BLOB]),
    metricsToken: METRICS_TOKEN,
    accounts: { own: [A1, A2], readOnly: AR, foreign: AX },
  };
}
