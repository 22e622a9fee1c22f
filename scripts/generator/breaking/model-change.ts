/**
 * The layer that a change touches: clients' requests and answers, the database, or clients' caches.
 */
export type Layer = 'wire' | 'storage' | 'sync';

/** A difference between two models, as `jmapsmith breaking` prints it. */
export interface ModelChange {
  readonly layer: Layer;
  /** Clients that work with the old model stop working (wire), values go (storage). */
  readonly breaking: boolean;
  /** `Todo.text`, or a capability's URN. */
  readonly where: string;
  readonly what: string;
}

/** Records a difference; `where` and `what` are words for people. */
export type Tell = (layer: Layer, breaking: boolean, where: string, what: string) => void;
