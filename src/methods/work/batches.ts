import { weigh } from '../../protocol/stringify-slices.js';
import type { StoredObject } from '../../store/port.js';

/** Objects that one statement writes. */
const MAX_OBJECTS = 600;
/** Characters of text in them. */
const MAX_CHARACTERS = 262_144;

/** Cuts what is written so that no statement takes long; in order. */
export function* batchesOf(
  objects: readonly StoredObject[],
  { maxObjects = MAX_OBJECTS, maxCharacters = MAX_CHARACTERS } = {},
): Generator<readonly StoredObject[]> {
  let begin = 0;
  let characters = 0;
  for (const [index, object] of objects.entries()) {
    const own = charactersOf(object);
    const isFull = index - begin >= maxObjects || characters + own > maxCharacters;
    if (isFull && index > begin) {
      yield objects.slice(begin, index);
      begin = index;
      characters = 0;
    }
    characters += own;
  }
  if (begin < objects.length) yield begin === 0 ? objects : objects.slice(begin);
}

/** Characters that a value within JSON takes, with its name. */
const VALUE = 16;

function charactersOf(object: StoredObject): number {
  let characters = 0;
  for (const name in object) {
    const value = object[name];
    if (typeof value === 'string') characters += value.length;
    else if (typeof value === 'object') characters += VALUE * weigh(value);
  }
  return characters;
}
