import { requireTime } from '../runtime/deadlines.js';
import type { Conductor, Slices } from '../runtime/slices.js';

/** Objects of a call that are read, written or shown in a moment. */
const FEW = 100;

/** Ids that one statement looks for: on SQLite it takes about 5 ms, of the 8 that a slice lasts. */
export const MAX_IDS = 10_000;

/** Octets of existing objects that one call may have in memory at once. */
export const WORKING_OCTETS = 100_000_000;

/** A call about so many objects takes turns with others. */
export function isMany(objects: number): boolean {
  return objects > FEW;
}

/** A method call. */
interface Sliced {
  readonly services: { readonly conductor: Conductor };
  readonly deadline: number;
}

/** Starts the slices of a call, which has until its deadline. Urgent: it holds the writer, so others wait for it. */
export function startSlices({ services, deadline }: Sliced, isUrgent = false): Slices {
  return services.conductor.startSlices(() => requireTime(deadline), isUrgent);
}
