import { prefixOf, separatorOf } from '../../capability/family-names.js';
import type { AnsweredView, PartView } from '../answered-view.js';
import { member } from '../located.js';
import type { TypeView } from '../view.js';
import { whyNoMemberName, whyNoPropertyName } from './reserved.js';
import { eachType, type Report, reportDoubles } from './rule.js';
import { findProperty, propertiesOf } from './types.js';

/** Refuses answered properties with wrong names, sources or parts, and `onRequest` in vain. */
export const answeredProperties = eachType((type, report) => {
  for (const { name, access, node } of type.properties) {
    const onRequest = node.members?.get('onRequest');
    if (onRequest?.node.value === true && (access === 'internal' || access === 'secret'))
      report('misplaced-key', onRequest.nameAt, `"${name}" is ${access}: no /get gives it.`);
  }
  for (const answered of type.answered) {
    judgeName(type, answered, report);
    judgeSources(type, answered, report);
    judgeParts(answered, report);
  }
  if (type.answered.length > 0) judgeMethod(type, report);
});

function isFamilyName(name: string): boolean {
  return name.endsWith('*');
}

/** Reports a name that another property has, that a family has, or that none can have. */
function judgeName(type: TypeView, { name, nameAt, parts }: AnsweredView, report: Report): void {
  const complain = (why: string): void =>
    report('bad-answered', nameAt, `"${name}" can't be answered: ${why}.`);
  const why = whyNoPropertyName(name);
  if (why !== undefined) complain(why);
  if (propertiesOf(type).has(name)) complain('the type stores a property of that name');
  if (isFamilyName(name) !== (parts !== undefined))
    complain(
      parts === undefined
        ? 'a family says the parts of its names: parts: [{ name: field }]'
        : 'parts are those of a family, whose name ends with *, such as header:*',
    );
  if (isFamilyName(name) && !/^[^*]*[^*A-Za-z0-9]\*$/.test(name))
    complain('a family has a separator in front of its one *, such as the colon of header:*');
  const rivals = [...type.properties, ...type.answered].filter((one) => one.name !== name);
  for (const { name: other } of isFamilyName(name) ? rivals : []) {
    if (other.startsWith(prefixOf({ name }))) complain(`"${other}" would be one of its names`);
  }
}

/** Reports sources that are no stored property, that are secret, or that are `updated`. */
function judgeSources(type: TypeView, { name, sources }: AnsweredView, report: Report): void {
  reportDoubles(sources, report);
  for (const source of sources) {
    const found = findProperty(type, source, report);
    if (found?.access === 'secret')
      report('bad-answered', source.at, `"${name}" can't follow "${source.name}", a secret.`);
    if (found?.role === 'updated')
      report(
        'bad-answered',
        source.at,
        'a clock is no source: "updated" changes with every write. Name the properties that ' +
          'matter.',
      );
  }
}

/** Reports parts that no name can be divided into. */
function judgeParts({ name, parts = [] }: AnsweredView, report: Report): void {
  const keys = new Set(['name']);
  const complain = (part: PartView, why: string): void =>
    report('bad-answered', part.at, `the part "${part.key}" of "${name}" ${why}.`);
  const separator = separatorOf({ name });
  for (const [index, part] of parts.entries()) {
    const why = whyNoMemberName(part.key);
    if (why !== undefined) complain(part, `can't be called so: ${why}`);
    else if (keys.has(part.key))
      complain(
        part,
        part.key === 'name' ? 'needs another name: "name" is that of the whole' : 'is there twice',
      );
    keys.add(part.key);
    for (const { name: text, at } of part.texts) {
      if (text.includes(separator))
        report('bad-answered', at, `"${text}" has the separator of the parts, "${separator}".`);
    }
    if (part.optional !== true) {
      if (index > 0 && parts[index - 1]?.optional === true)
        complain(
          part,
          'stands behind one that may be left out: put it in front, or make it optional',
        );
    } else if (index === 0) complain(part, 'is the first: each name has it');
    else if (part.values === undefined)
      complain(part, 'may be left out, so it has values: [...] by which the server knows it');
  }
}

/** Reports that no call would ask for answered properties. */
function judgeMethod({ name, node, standardMethods }: TypeView, report: Report): void {
  if (standardMethods === undefined || standardMethods.some((method) => method.name === 'get'))
    return;
  report(
    'bad-answered',
    member(node, 'answered')?.at ?? node.at,
    `${name} leaves /get out, which alone gives answered properties: list get, or drop "answered".`,
  );
}
