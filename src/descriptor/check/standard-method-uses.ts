import type { JSONSchema7 } from 'json-schema';
import { typeOf } from '../kinds.js';
import { items, member, members } from '../located.js';
import { isOpen } from '../model/property-schema.js';
import { STANDARD_METHODS } from '../standard-methods.js';
import type { MethodView, TypeView } from '../view.js';
import { type Report, type Rule, reportDoubles } from './rule.js';

/** The members of responses by RFC 8620 5.1 to 5.6. */
const RESPONSES: Readonly<Record<string, readonly string[]>> = {
  get: ['accountId', 'state', 'list', 'notFound'],
  changes: [
    ...['accountId', 'oldState', 'newState', 'hasMoreChanges', 'created', 'updated', 'destroyed'],
    'updatedProperties',
  ],
  set: [
    ...['accountId', 'oldState', 'newState', 'created', 'updated', 'destroyed'],
    ...['notCreated', 'notUpdated', 'notDestroyed'],
  ],
  copy: ['fromAccountId', 'accountId', 'oldState', 'newState', 'created', 'notCreated'],
  query: [
    ...['accountId', 'queryState', 'canCalculateChanges', 'position', 'ids', 'total', 'limit'],
  ],
  queryChanges: ['accountId', 'oldQueryState', 'newQueryState', 'total', 'removed', 'added'],
};

/** The method without which each method is of no use. */
const NEEDS: Readonly<Record<string, string>> = { copy: 'set', queryChanges: 'query' };

/** Refuses methods listed twice or without one that they need, and additions that can't work. */
export const standardMethods: Rule = (views, report) => {
  const own = new Set(views.flatMap(({ methods }) => methods.map(({ name }) => name)));
  for (const type of views.flatMap((view) => view.types)) {
    if (type.standardMethods === undefined) continue;
    const names = type.standardMethods.map(({ name }) => name);
    reportDoubles(
      type.standardMethods.map(({ name, nameAt }) => ({ name, at: nameAt })),
      report,
    );
    for (const method of type.standardMethods) {
      const needed = NEEDS[method.name];
      const isThere = names.includes(needed ?? '') || own.has(`${type.name}/${needed}`);
      if (needed !== undefined && !isThere)
        report(
          'bad-standard-methods',
          method.nameAt,
          `/${method.name} is of no use without /${needed}: list ${needed}, too.`,
        );
      judgeFurther(method, report);
      if (method.name === 'set' && names.includes('copy')) judgeSetOfCopy(type, method, report);
    }
    judgeQueryKeys(type, names, report);
  }
};

/** Reports filters and sorts of a type that leaves /query out: nothing would read them. */
function judgeQueryKeys(type: TypeView, names: readonly string[], report: Report): void {
  if (names.includes('query') || type.singleton) return;
  for (const key of ['filter', 'sort']) {
    const stray = type.node.members?.get(key);
    if (stray !== undefined)
      report(
        'bad-standard-methods',
        stray.nameAt,
        `"${key}" is what /query takes, which ${type.name} leaves out: list query, or drop it.`,
      );
  }
}

/**
 * Reports arguments that /set requires beside a /copy: the server calls /set with the standard ones
 * alone to destroy the originals (RFC 8620 5.4).
 */
function judgeSetOfCopy(type: TypeView, { node }: MethodView, report: Report): void {
  for (const item of items(member(member(node, 'arguments'), 'required')))
    report(
      'required-set-argument',
      item.at,
      `${type.name}/copy calls /set where "onSuccessDestroyOriginal" is true, and has no ` +
        `${JSON.stringify(item.value)} to give it: make the argument optional, or leave copy out ` +
        'of standardMethods.',
    );
}

/** Reports further arguments and members that are no plain properties, or that RFC 8620 defines. */
function judgeFurther({ name, node }: MethodView, report: Report): void {
  const row = STANDARD_METHODS.find(({ verb }) => verb === name);
  const schema: JSONSchema7 | undefined = row?.arguments;
  const standardNames = {
    arguments: Object.keys(schema?.properties ?? {}),
    response: RESPONSES[name] ?? [],
  };
  for (const part of ['arguments', 'response'] as const) {
    const given = member(node, part);
    if (given === undefined) continue;
    const { type, nullable } = typeOf(given);
    if ((type !== undefined && type !== 'object') || nullable || isOpen(given))
      report(
        'not-an-object',
        given.at,
        `the further ${part} of /${name} are the properties of an object: { type: object, ` +
          'properties: ... }, without additionalProperties.',
      );
    for (const { name: member_, nameAt } of members(member(given, 'properties'))) {
      if (standardNames[part].includes(member_))
        report(
          'duplicate-argument',
          nameAt,
          `"${member_}" is in the ${part} of every /${name}; choose another name.`,
        );
    }
  }
}
