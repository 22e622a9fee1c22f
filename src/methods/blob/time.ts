import { performance } from 'node:perf_hooks';
import { UnavailableError } from '../../protocol/errors.js';

/** Gives the call up where its time has passed; for work that no database watches over. */
export function requireTime(deadline: number): void {
  if (performance.now() > deadline) throw new UnavailableError('The call ran out of time.');
}
