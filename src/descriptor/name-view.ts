import { unescapeToken } from '../protocol/json-pointer.js';
import { items, type Located, text } from './located.js';
import type { Location } from './model.js';

/** A name that the descriptor gives to something that stands elsewhere. */
export interface NameView {
  readonly name: string;
  readonly at: Location;
}

/** Returns a name with its place; undefined where the value is no text. */
export function nameOf(node: Located | undefined): NameView | undefined {
  const name = text(node);
  return node === undefined || name === undefined ? undefined : { name, at: node.at };
}

/** Returns the names in a list with their places, without what is no text. */
export function namesIn(list: Located | undefined): readonly NameView[] {
  return items(list).flatMap((item) => nameOf(item) ?? []);
}

/** Returns the property that has the reference of this name: `steps` of `steps/*\/taskId`. */
export function referringName({ name }: NameView): string {
  return unescapeToken(name.split('/', 1)[0] ?? '');
}
