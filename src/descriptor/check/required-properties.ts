import { member } from '../located.js';
import { didYouMean } from './did-you-mean.js';
import { eachType, listed, reportDoubles } from './rule.js';

/** Refuses a `required` that names no property, one twice, one with a default or not a client's. */
export const requiredProperties = eachType(({ name: type, properties, required }, report) => {
  const named = new Map([...properties].reverse().map((each) => [each.name, each]));
  const names = [...named.keys()].reverse();
  reportDoubles(
    required.filter(({ name }) => named.has(name)),
    report,
  );
  for (const { name, at } of required) {
    const property = named.get(name);
    if (property === undefined) {
      report(
        'unknown-property',
        at,
        `"${name}" is no property of ${type}.${didYouMean(name, names)} Declared: ` +
          `${listed(names)}.`,
      );
      continue;
    }
    if (member(property.node, 'default') !== undefined)
      report(
        'required-default',
        at,
        `"${name}" is required and has a default, which could never be used; drop one of ` +
          'the two.',
      );
    if (property.access === 'serverSet' || property.access === 'internal')
      report(
        'required-server-set',
        at,
        `"${name}" is ${property.access}, so no client may give it; it can't be required.`,
      );
  }
});
