import type { DataTypeDefinition, PropertyDefinition } from './definition.js';
import { type NamePart, prefixOf } from './family-names.js';

/** A property, or a family of some, that /get has computed when it is asked: it is never stored. */
export interface AnsweredDefinition {
  /** `preview`, or of a family `header:*`. */
  readonly name: string;
  /** The stored properties that its value follows. */
  readonly sources: readonly PropertyDefinition[];
  /** Where the value may be null, null stands for what the hook leaves out. */
  readonly nullable?: true;
  /** The hook may leave it out. */
  readonly optional?: true;
  /** A /get without `properties` leaves it out. Always of a family. */
  readonly onRequest?: true;
  /** Of a family: the parts of its names behind the prefix. */
  readonly parts?: readonly NamePart[];
}

/** Returns whether a name is that of an answered property, or of a family. */
export function isAnswered({ answered }: DataTypeDefinition, name: string): boolean {
  if (answered === undefined) return false;
  return answered.some((each) =>
    each.parts === undefined ? each.name === name : name.startsWith(prefixOf(each)),
  );
}
