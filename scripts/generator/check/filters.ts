import { isOperator, operatorsOf } from '../descriptor/operators.js';
import type { FilterView } from '../descriptor/view.js';
import { didYouMean } from './did-you-mean.js';
import { oneOf, type Report, type Rule } from './rule.js';

/** A condition compares a property of its own type by an operator that the property's kind has. */
export const filters: Rule = (views, report) => {
  for (const type of views.flatMap((view) => view.types)) {
    const names = ['id', 'created', 'updated', ...type.properties.map(({ name }) => name)];
    for (const filter of type.filters) {
      if (filter.property === undefined)
        report(
          'unknown-property',
          filter.propertyAt,
          `"${filter.propertyName}" is no property of ` +
            `${type.name}.${didYouMean(filter.propertyName, names)} ` +
            `Declared: ${names.join(', ')}. A condition with a name of its own says { ` +
            'property: ..., is: ... }.',
        );
      else judge(filter, filter.property, report);
    }
  }
};

function judge(
  { operator, operatorAt }: FilterView,
  property: NonNullable<FilterView['property']>,
  report: Report,
): void {
  const { name, kind, nullable, blob, role } = property;
  if (kind === undefined || !isOperator(operator)) return;
  const isId = blob || role === 'id';
  const legal = operatorsOf(kind).filter(
    (each) =>
      (each !== 'isNull' || nullable) && !(isId && (each === 'contains' || each === 'startsWith')),
  );
  if (legal.includes(operator)) return;
  const what = isId ? 'an id' : (nullable ? 'a nullable ' : 'of kind ') + kind;
  report(
    'illegal-operator',
    operatorAt,
    legal.length === 0
      ? `"${name}" is ${what} and can't be filtered by: only a column of its own can.`
      : `"${operator}" can't be used with "${name}", which is ${what}: legal ` +
          `${legal.length === 1 ? 'is' : 'are'} ${oneOf(legal)}.`,
  );
}
