import type { NamePart } from '../capability/family-names.js';
import { typeOf } from './kinds.js';
import { flag, items, type Located, type Member, member, text } from './located.js';
import type { Location } from './model.js';
import { type NameView, namesIn } from './name-view.js';

/** A part of the names of a family as declared. */
export interface PartView extends NamePart {
  readonly at: Location;
  /** The texts under `values`, with their places. */
  readonly texts: readonly NameView[];
}

/** A property that is computed when it is read, as declared. */
export interface AnsweredView {
  readonly name: string;
  readonly nameAt: Location;
  /** References to `$defs` are resolved in it. */
  readonly node: Located;
  readonly sources: readonly NameView[];
  readonly nullable: boolean;
  readonly optional: boolean;
  readonly onRequest: boolean;
  /** Undefined where it is one property and no family. */
  readonly parts: readonly PartView[] | undefined;
  /** It has a schema: a family may do without. */
  readonly hasType: boolean;
}

/** Reads the declaration of an answered property, without judging it. */
export function viewAnswered({ name, nameAt, node }: Member): AnsweredView {
  const { type, nullable } = typeOf(node);
  const parts = member(node, 'parts');
  return {
    ...{ name, nameAt, node, nullable },
    sources: namesIn(member(node, 'from')),
    optional: flag(member(node, 'optional'), false),
    onRequest: flag(member(node, 'onRequest'), false),
    parts: parts === undefined ? undefined : items(parts).map(viewPart),
    hasType: type !== undefined,
  };
}

function viewPart(node: Located): PartView {
  const values = member(node, 'values');
  const texts = namesIn(values);
  return {
    key: text(member(node, 'name')) ?? '',
    ...(values === undefined ? {} : { values: texts.map(({ name }) => name) }),
    ...(flag(member(node, 'optional'), false) ? { optional: true as const } : {}),
    at: node.at,
    texts,
  };
}
