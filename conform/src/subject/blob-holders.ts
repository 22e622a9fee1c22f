import { replaceTexts, textsAt } from '../../../src/capability/places.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { sampleOf } from '../../../src/descriptor/sample-values.js';
import type { Json } from '../client/json.js';
import { listWritable } from './described.js';
import { wrapIds } from './links.js';
import type { Subject } from './subject.js';

/**
 * A property to which a client can give blobs: its value is an id of a blob, or contains such ids.
 */
export interface BlobHolder extends Pick<ModelProperty, 'name' | 'access' | 'nullable'> {
  /** Its value is the id of a blob. */
  readonly isWhole: boolean;
  /** A value of the property that names this blob wherever it names one. */
  readonly buildHolding: (blobId: string) => Json;
  /** Returns the first blob that a value of the property names. */
  readonly readHeld: (value: Json | undefined) => string;
}

/** Finds the properties of a type that hold blobs. */
export const findBlobHolders = ({ described, samples }: Subject): readonly BlobHolder[] =>
  listWritable(described)
    .filter(({ blobs }) => blobs.length > 0)
    .map((property) => ({
      ...property,
      isWhole: property.kind === 'string',
      // Samples tell of a property whose members have rules: only those that lead to a blob.
      buildHolding: samples.some(({ [property.name]: value }) => value !== undefined)
        ? (blobId) => buildLeastHolding(property, blobId)
        : (blobId) => buildHolding(property, blobId),
      readHeld: (value) => [...textsAt(property.blobs, value)][0] ?? String(value),
    }));

/** Returns a value of a property that holds a blob. */
export const buildHolding = ({ schema, blobs }: ModelProperty, blobId: string): Json =>
  replaceTexts(blobs, sampleOf(schema), () => blobId) as Json;

/** Returns the least value of a property that holds a blob at the first place that can. */
function buildLeastHolding(property: ModelProperty, blobId: string): Json {
  const [place = []] = property.blobs;
  return replaceTexts(property.blobs, wrapIds({ property, place }, blobId), () => blobId) as Json;
}
