import { type SetError, setError } from '../../protocol/errors.js';
import { referencedBlobs, type Upload } from './upload-object.js';

/**
 * In what order the uploads of one call can be made, and which can't: those in a cycle and those
 * behind one.
 */
export interface UploadOrder {
  readonly order: readonly string[];
  readonly cyclic: ReadonlyMap<string, SetError>;
}

/**
 * Puts each upload behind those of the same call that it refers to by "#" (RFC 8620 5.3: the server
 * orders creates before their creation ids are referenced). One that refers to its own creation id
 * means an earlier call's.
 */
export function orderUploads(uploads: ReadonlyMap<string, Upload>): UploadOrder {
  const waiting = new Map<string, Set<string>>();
  const dependents = new Map<string, string[]>();
  for (const [creationId, upload] of uploads) {
    const needs = new Set(
      referencedBlobs(upload)
        .filter((text) => text.startsWith('#'))
        .map((text) => text.slice(1))
        .filter((needed) => needed !== creationId && uploads.has(needed)),
    );
    waiting.set(creationId, needs);
    for (const needed of needs) {
      dependents.set(needed, [...(dependents.get(needed) ?? []), creationId]);
    }
  }
  const order = [...waiting].filter(([, needs]) => needs.size === 0).map(([id]) => id);
  for (const made of order) {
    for (const dependent of dependents.get(made) ?? []) {
      const needs = waiting.get(dependent);
      if (needs?.delete(made) === true && needs.size === 0) order.push(dependent);
    }
  }
  const ordered = new Set(order);
  const cyclic = new Map<string, SetError>();
  for (const creationId of uploads.keys()) {
    if (ordered.has(creationId)) continue;
    const why = '"data" refers to creation ids in a cycle.';
    cyclic.set(creationId, setError('invalidProperties', why, { properties: ['data'] }));
  }
  return { order, cyclic };
}
