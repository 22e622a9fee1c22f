import { member } from '../located.js';
import { SINGLETON_METHODS } from '../standard-methods.js';
import type { TypeView } from '../view.js';
import { eachType, type Report } from './rule.js';

/** Keys that are about more objects than one. */
const OF_MANY: readonly string[] = ['required', 'filter', 'sort', 'query', 'unique', 'indexes'];

/**
 * Refuses what a singleton can't have: its object is always there, so no call creates or finds it.
 */
export const singletons = eachType((type, report) => {
  if (type.singleton) judgeSingleton(type, report);
});

/** Reports keys, methods and properties that only a type with many objects can have. */
function judgeSingleton(type: TypeView, report: Report): void {
  for (const key of OF_MANY) {
    const stray = type.node.members?.get(key);
    if (stray !== undefined)
      report(
        'bad-singleton',
        stray.nameAt,
        `${type.name} is a singleton, one object that is always there: "${key}" means nothing.`,
      );
  }
  const count = member(type.node, 'limits')?.members?.get('count');
  if (count !== undefined)
    report('bad-singleton', count.nameAt, `${type.name} is a singleton: there is one object.`);
  for (const { name, nameAt } of type.standardMethods ?? []) {
    if (!SINGLETON_METHODS.some((legal) => legal === name))
      report(
        'bad-singleton',
        nameAt,
        `${type.name} is a singleton and has no /${name}: legal are ` +
          `${SINGLETON_METHODS.join(', ')}.`,
      );
  }
  for (const { name, node, nameAt, access, references } of type.properties) {
    for (const reference of references) {
      if (reference.onDestroy !== 'cascade') continue;
      report(
        'bad-singleton',
        member(reference.node, 'onDestroy')?.at ?? nameAt,
        `${type.name} is a singleton, which nothing destroys: "${reference.name}" can't cascade. ` +
          'Legal are restrict, setNull, keep.',
      );
    }
    const unique = node.members?.get('unique');
    if (unique?.node.value === true)
      report(
        'bad-singleton',
        unique.nameAt,
        `${type.name} is a singleton: no other object has a "${name}".`,
      );
    if (access === 'immutable')
      report(
        'bad-singleton',
        member(node, 'access')?.at ?? node.at,
        `${type.name} is a singleton, which nobody creates: "${name}" could never be given. ` +
          'Say mutable or serverSet.',
      );
  }
}
