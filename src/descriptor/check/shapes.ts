import { BOUNDS } from '../bounds.js';
import { typeOf } from '../kinds.js';
import { member, members } from '../located.js';
import { isOpen } from '../model/property-schema.js';
import { namesIn } from '../name-view.js';
import { didYouMean } from './did-you-mean.js';
import { listed, type Report, type Rule, reportDoubles } from './rule.js';
import { type SchemaView, schemasOf } from './schemas.js';

/** Refuses lists without items, objects that say nothing of their members, and too many levels. */
export const shapes: Rule = (views, report) => {
  for (const schema of views.flatMap(schemasOf)) {
    const { type } = typeOf(schema.node);
    if (schema.depth === BOUNDS.depth + 1)
      report(
        'too-deep',
        schema.at,
        `"${schema.label}" lies deeper than ${BOUNDS.depth} levels; flatten the object, or ` +
          'allow any JSON with additionalProperties: true.',
      );
    // A constant says all that there is to say, and so do the branches of a union.
    if (member(schema.node, 'const') !== undefined) continue;
    if (member(schema.node, 'oneOf') !== undefined) continue;
    if (type === 'array' && member(schema.node, 'items') === undefined)
      report(
        'missing-items',
        schema.at,
        `"${schema.label}" is a list and doesn't say of what: it needs "items", for instance ` +
          'items: { type: string }.',
      );
    if (type === 'object' && member(schema.node, 'setOf') === undefined)
      judgeObject(schema, report);
  }
};

/**
 * Reports an object that can have no members, `propertyNames` without further members, and names
 * under `required` that are unknown or come twice.
 */
function judgeObject({ node, label, at, use }: SchemaView, report: Report): void {
  const names = members(member(node, 'properties')).map(({ name }) => name);
  if (use === 'property' && names.length === 0 && !isOpen(node))
    report(
      'empty-object',
      at,
      `"${label}" is an object that can have no members: it needs "properties" or ` +
        '"additionalProperties".',
    );
  const propertyNames = member(node, 'propertyNames');
  if (propertyNames !== undefined && !isOpen(node))
    report(
      'misplaced-key',
      propertyNames.at,
      `"propertyNames" describes further members, but "${label}" allows none: add ` +
        'additionalProperties.',
    );
  const required = namesIn(member(node, 'required'));
  reportDoubles(required, report);
  const known = new Set(names);
  for (const { name, at } of required) {
    if (known.has(name)) continue;
    const declared = names.length === 0 ? '' : ` Declared: ${listed(names)}.`;
    report(
      'unknown-property',
      at,
      `"${name}" is no member of "${label}".${didYouMean(name, names)}${declared}`,
    );
  }
}
