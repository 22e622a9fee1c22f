import { kindOf, typeOf } from '../kinds.js';
import { items, member, members, text } from '../located.js';
import { STANDARD_METHODS } from '../standard-methods.js';
import type { MethodView } from '../view.js';
import type { Report, Rule } from './rule.js';

/**
 * Refuses arguments and responses that are no objects, and a method of an account's data without
 * `accountId` (docs/reference/protocol.md#accounts).
 */
export const methodSchemas: Rule = (views, report) => {
  for (const method of views.flatMap((view) => view.methods)) {
    for (const part of ['arguments', 'response']) {
      const node = member(method.node, part);
      if (node === undefined) continue;
      const { type, nullable } = typeOf(node);
      if (type !== undefined && (type !== 'object' || nullable))
        report(
          'not-an-object',
          member(node, 'type')?.at ?? node.at,
          `the ${part} of ${method.name} must be of type object: JMAP sends nothing else.`,
        );
    }
    judgeAccountId(method, report);
  }
  for (const view of views) {
    const further = view.types.flatMap(({ standardMethods = [] }) => standardMethods);
    const writing = further.filter(({ name }) => WRITING.includes(name));
    const own = view.methods.filter(({ node }) => text(member(node, 'account')) === 'write');
    for (const method of [...writing, ...own]) judgeOnceKey(method, report);
  }
};

/** The standard methods with `account: write`. */
const WRITING = STANDARD_METHODS.filter(({ account }) => account === 'write').map(
  ({ verb }): string => verb,
);

/** Reports the argument that every method that writes has already. */
function judgeOnceKey({ node }: MethodView, report: Report): void {
  const args = member(member(node, 'arguments'), 'properties');
  for (const { name, nameAt } of members(args)) {
    if (name === 'onceKey')
      report(
        'duplicate-argument',
        nameAt,
        'urn:jmapsmith:once gives "onceKey" to every method that writes; choose another name.',
      );
  }
}

/** Reports an `accountId` beside `account: none`, and a missing or optional one otherwise. */
function judgeAccountId({ name, nameAt, node }: MethodView, report: Report): void {
  const args = member(node, 'arguments');
  if (args === undefined) return;
  const declared = member(member(args, 'properties'), 'accountId');
  const required = items(member(args, 'required')).some((item) => text(item) === 'accountId');
  if (text(member(node, 'account')) === 'none') {
    if (declared !== undefined)
      report(
        'stray-account-id',
        declared.at,
        `${name} has account: none, so it takes no accountId; say read or write.`,
      );
    return;
  }
  const isText = declared !== undefined && kindOf(typeOf(declared).type, undefined) === 'string';
  if (!isText || typeOf(declared).nullable || !required)
    report(
      'missing-account-id',
      nameAt,
      `${name} is about an account's data: it needs the required argument accountId: { type: ` +
        'string }, or account: none.',
    );
}
