import type { AnsweredView } from '../answered-view.js';
import { member, text, words } from '../located.js';
import type { ModelAnswered } from '../model.js';
import { buildSchema } from './property-schema.js';

/** Returns the model of a property that is computed when it is read. */
export function buildAnswered(view: AnsweredView): ModelAnswered {
  const { name, nameAt, node, sources, nullable, optional, onRequest, parts, hasType } = view;
  const deprecated = text(member(node, 'deprecated'))?.trim();
  return {
    name,
    sources: sources.map((source) => source.name),
    ...(nullable ? { nullable: true as const } : {}),
    ...(optional ? { optional: true as const } : {}),
    ...(onRequest || parts !== undefined ? { onRequest: true as const } : {}),
    ...(parts === undefined
      ? {}
      : { parts: parts.map(({ at: _at, texts: _texts, ...part }) => part) }),
    ...(deprecated === undefined ? {} : { deprecated }),
    description: words(node),
    schema: hasType ? buildSchema(node, 'message') : {},
    at: nameAt,
  };
}

/** Returns whether it is a family of properties. */
export function isFamily({ parts }: Pick<ModelAnswered, 'parts'>): boolean {
  return parts !== undefined;
}
