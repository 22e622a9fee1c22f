import type { DataTypeDefinition } from './definition.js';
import { prefixOf } from './family-names.js';

/** Returns whether a name is that of an answered property, or of a family. */
export function isAnswered({ answered }: DataTypeDefinition, name: string): boolean {
  if (answered === undefined) return false;
  return answered.some((each) =>
    each.parts === undefined ? each.name === name : name.startsWith(prefixOf(each)),
  );
}
